package scrub

import (
	"fmt"
	"strings"
	"testing"
)

func BenchmarkText(b *testing.B) {
	var secrets []Secret
	for i := range 10 {
		secrets = append(secrets, Secret{fmt.Sprint(i), fmt.Sprintf("sk-%032x", (i+1)*0x5DEECE66D)})
	}
	for name, text := range map[string]string{
		"plain":   strings.Repeat("The quick brown fox jumps over the lazy dog, as it is said. ", 1000),
		"json":    strings.Repeat("{\"name\": \"caf\\u00e9\", \"at\": \"https:\\/\\/example.com\\/?q=a%20b\",\n  \"n\": 12345},\n", 1000),
		"base64":  strings.Repeat("VGhlIHF1aWNrIGJyb3duIGZveCBqdW1wcyBvdmVyIHRoZSBsYXp5IGRvZywgYXMgaXQgaXMgc2FpZC4=\n", 1000),
		"hostile": strings.Repeat(`%25\\&amp;`, 6000),
		"secrets": strings.Repeat("a line with "+secrets[0].Value+" in it\n", 1000),
	} {
		b.Run(name, func(b *testing.B) {
			s := New(secrets)
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				s.Text(text)
			}
		})
	}
}

// BenchmarkNew makes a scrubber of the longest secret there may be.
func BenchmarkNew(b *testing.B) {
	value := strings.Repeat("0123456789abcdefghijklmnopqrstuv", 512)
	for b.Loop() {
		New([]Secret{{"k", value}})
	}
}
