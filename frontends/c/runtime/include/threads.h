/* Says what there is instead. */
#error "txvm has no threads: a txvm program has one thread"
