// Runs the programs that the expression builder prints in Go: a line of the input names one, and `--` ends what it
// prints.
package main

import (
	"bufio"
	"fmt"
	"os"
)

func main() {
	names := bufio.NewScanner(os.Stdin)
	for names.Scan() {
		programs[names.Text()]()
		fmt.Println("--")
	}
}
