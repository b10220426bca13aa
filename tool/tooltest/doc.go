// Package tooltest runs a tool written in Go in a test: without a store, a server or a
// person. It does what the runtime does around a call (defaults, validation of arguments
// and result, checks of subtasks), and supplies to the tool what the options say. What no
// option supplies is not available to the tool, as at a host without it.
//
//	result := tooltest.Run(t, greet, `{"text": "You said: "}`, tooltest.WithChain(
//		tool.Entry{Role: tool.RoleUser, Type: tool.TypeMessage, Data: []byte(`"Hi!"`)},
//	))
//	if got := result.Subtasks()[0][0].Content.Data; got != "You said: Hi!" {
//		t.Errorf("the answer is %v", got)
//	}
package tooltest
