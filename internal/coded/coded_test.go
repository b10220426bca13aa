package coded_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolsmith/internal/coded"
)

func sample() coded.Tool {
	return coded.Tool{
		Name: "digest", File: "digest.ts", Line: 3, Column: 23, Source: []byte("export const x = 'é\n'"),
		Declaration: json.RawMessage(`{"name":"digest"}`), Script: []byte("(()=>{})()\n"), SourceMap: []byte(`{"version":3}`),
	}
}

func TestWhatIsWrittenIsRead(t *testing.T) {
	t.Parallel()
	for _, want := range []coded.Tool{sample(), {Name: "x", File: "x.js", Source: []byte{}, Declaration: json.RawMessage(`{}`), Script: []byte{}, SourceMap: []byte{}}} {
		text := want.Text()
		if !coded.Is(text) {
			t.Errorf("Is says that %q is no coded tool", text)
		}
		got, err := coded.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("read and written differ (-want +got):\n%s", diff)
		}
	}
}

func TestWhatIsNotKeptSoIsRefused(t *testing.T) {
	t.Parallel()
	whole := string(sample().Text())
	for name, text := range map[string]string{
		"empty": "", "a manifest": `{"schema":"talos.local-tool.v1"}`, "no header": "toolsmith coded tool 1\n",
		"a header that is no JSON": "toolsmith coded tool 1\n{\n", "cut off": whole[:len(whole)-1], "too long": whole + "x",
		"a negative length": `toolsmith coded tool 1` + "\n" + `{"lengths":[-1,0,0,0]}` + "\n",
	} {
		if _, err := coded.Parse([]byte(text)); err == nil {
			t.Errorf("%s was read", name)
		}
	}
}

func TestDigest(t *testing.T) {
	t.Parallel()
	base := sample().Digest()
	if len(base) != 64 || strings.ToLower(base) != base {
		t.Errorf("the digest is %q, and no lower-case hex SHA-256", base)
	}
	same := sample()
	same.Script, same.SourceMap, same.Line, same.File = []byte("other"), nil, 9, "other.ts"
	if same.Digest() != base {
		t.Error("what a bundler makes of the source changes the digest")
	}
	for name, change := range map[string]func(*coded.Tool){
		"name":        func(c *coded.Tool) { c.Name += "x" },
		"source":      func(c *coded.Tool) { c.Source = append(c.Source, ' ') },
		"declaration": func(c *coded.Tool) { c.Declaration = json.RawMessage(`{}`) },
		"border":      func(c *coded.Tool) { c.Name, c.Source = c.Name+string(c.Source[:1]), c.Source[1:] },
	} {
		other := sample()
		change(&other)
		if other.Digest() == base {
			t.Errorf("another %s has the same digest", name)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(sample().Text())
	f.Fuzz(func(t *testing.T, text []byte) {
		one, err := coded.Parse(text)
		if err != nil {
			return
		}
		again, err := coded.Parse(one.Text())
		if err != nil || again.Name != one.Name || again.Digest() == "" {
			t.Errorf("%q was read, and what is written of it is not: %v", text, err)
		}
	})
}
