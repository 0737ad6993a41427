// Counts the words of standard input: maps, sorting, floats, a recovered panic.
package main

import (
	"bufio"
	"fmt"
	"os"
	"sort"
	"strings"
)

func main() {
	sums := map[string]float64{}
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		for _, word := range strings.Fields(lines.Text()) {
			sums[strings.ToLower(word)] += float64(len(word)) / 3
		}
	}
	words := make([]string, 0, len(sums))
	for word := range sums {
		words = append(words, word)
	}
	sort.Slice(words, func(i, j int) bool {
		a, b := sums[words[i]], sums[words[j]]
		return a > b || a == b && words[i] < words[j]
	})
	for _, word := range words[:5] {
		fmt.Printf("%q %.3f\n", word, sums[word])
	}
	defer func() {
		fmt.Println("recovered:", recover())
		os.Exit(len(words) % 50)
	}()
	fmt.Println(words[len(words)])
}
