# completion.sh PREFIX: what bash completes, one line for each request.
PATH="$1/bin:$PATH"
source "$1/share/bash-completion/completions/txvm"
complete_words() {
  COMP_WORDS=("$@")
  COMP_CWORD=$(($# - 1))
  _txvm
  echo "${COMPREPLY[@]}"
}
complete_words txvm disa
complete_words txvm run --fu
complete_words txvm program.wat --inv
