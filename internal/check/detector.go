package check

import (
	"fmt"
	"strings"
	"sync"

	"github.com/spf13/viper"
	"github.com/zricethezav/gitleaks/v8/config"
	gitleaks "github.com/zricethezav/gitleaks/v8/detect"
)

// detector holds the rules of a library that keeps up with the tokens of hundreds of
// services. Reading them takes milliseconds, so that is left until a text asks for it.
var detector = sync.OnceValue(func() func(text string) (rule, secret string, ok bool) {
	found, err := newDetector()
	if err != nil {
		// The rules are part of the program: they can be read, or every build is broken.
		panic(err)
	}
	var one sync.Mutex // the library counts what it has seen in fields of its own
	return func(text string) (string, string, bool) {
		one.Lock()
		defer one.Unlock()
		findings := found.DetectString(text)
		if len(findings) == 0 {
			return "", "", false
		}
		return findings[0].RuleID, findings[0].Secret, true
	}
})

func newDetector() (*gitleaks.Detector, error) {
	reader := viper.New()
	reader.SetConfigType("toml")
	if err := reader.ReadConfig(strings.NewReader(config.DefaultConfig)); err != nil {
		return nil, fmt.Errorf("read rules for secrets: %w", err)
	}
	var raw config.ViperConfig
	if err := reader.Unmarshal(&raw); err != nil {
		return nil, fmt.Errorf("read rules for secrets: %w", err)
	}
	rules, err := raw.Translate()
	if err != nil {
		return nil, fmt.Errorf("read rules for secrets: %w", err)
	}
	return gitleaks.NewDetector(rules), nil
}

// detect looks with the library's rules. Many of them want to see what a value is called.
func detect(name, text string) (rule, match string, ok bool) {
	if name != "" {
		text = name + ` = "` + text + `"`
	}
	return detector()(text)
}
