package httpapi_test

import (
	"fmt"
	"testing"

	"toolsmith/internal/capability"
	"toolsmith/internal/check"
	"toolsmith/internal/engine"
	"toolsmith/internal/store"
	"toolsmith/internal/task"
)

// allow lets everything up to R3 run unasked.
func (s *served) allow(t *testing.T, powers ...string) {
	t.Helper()
	for _, power := range powers {
		s.answer(t, gives{"allow", personToken, "PUT", "/v1/settings/power/" + power, `{"permission": "allow"}`, 200, nil})
	}
}

// kept runs the keeper for a caller, and gives the path of its run.
func (s *served) kept(t *testing.T) string {
	t.Helper()
	s.allow(t, "read", "write")
	s.install(t, keeper2)
	s.answer(t, gives{"on", personToken, "POST", "/v1/forge/tools/keep/enable", "", 200, nil})
	got := s.answer(t, gives{"run", "all", "POST", "/v1/tools/dynamic:keep/call", `{"thought": "tea"}`, 200, map[string]any{"status": "succeeded"}})
	return fmt.Sprintf("/v1/runs/%v", got["run"])
}

func TestOneTaskOverHTTP(t *testing.T) {
	t.Parallel()
	s := serve(t)
	run := s.kept(t)
	_, tasks := s.ask(t, "all", "GET", run+"/tasks", "")
	flow, result := fmt.Sprint(dig(tasks, "tasks.0.id")), ""
	for _, one := range tasks["tasks"].([]any) {
		if dig(one, "type") == "toolresult" && dig(one, "parent") == flow {
			result = fmt.Sprint(dig(one, "id"))
		}
	}
	for _, c := range []gives{
		{"the call", "all", "GET", run + "/tasks/" + flow, "", 200, map[string]any{
			"name": "dynamic:keep", "type": "tool", "state": "done", "attempts": 1, "depth": 0, "arguments": map[string]any{"thought": "tea"},
			"result": map[string]any{"note": "A thought"}, "error": nil, "wakeAt": nil,
		}},
		{"by a beginning", "all", "GET", run + "/tasks/" + flow[:12], "", 200, map[string]any{"id": flow}},
		{"a step", "all", "GET", run + "/tasks/keep", "", 200, map[string]any{
			"name": "notes.create", "step": "keep", "depth": 1, "arguments.content": "tea", "result.title": "A thought",
		}},
		{"what is no call", "all", "GET", run + "/tasks/" + result, "", 200, map[string]any{
			"type": "toolresult", "data": map[string]any{"note": "A thought"}, "parent": flow, "arguments": nil, "result": nil, "startedAt": nil, "state": nil,
		}},
		{"its chain", "all", "GET", run + "/tasks/keep/chain", "", 200, map[string]any{"tasks.0.step": "look", "tasks.1.step": "keep", "tasks.2": nil, "next": nil}},
		{"its chain in pages", "all", "GET", run + "/tasks/keep/chain?limit=1", "", 200, map[string]any{"tasks.0.step": "look", "tasks.1": nil, "next": "1"}},
		{"what came of it", "all", "GET", run + "/tasks/" + flow + "/children", "", 200, map[string]any{"chains.0.0.step": "look", "chains.0.1.step": "keep", "chains.1.0.id": result, "chains.2": nil, "next": nil}},
		{"in pages", "all", "GET", run + "/tasks/" + flow + "/children?limit=1&cursor=1", "", 200, map[string]any{"chains.0.0.id": result, "chains.1": nil, "next": nil}},
		{"nothing came of it", "all", "GET", run + "/tasks/" + result + "/children", "", 200, map[string]any{"chains": []any{}}},
		{"no such task", "all", "GET", run + "/tasks/nobody", "", 404, map[string]any{"code": "TASK_NOT_FOUND"}},
		{"no such task with a chain", "all", "GET", run + "/tasks/nobody/chain", "", 404, map[string]any{"code": "TASK_NOT_FOUND"}},
		{"no such task with children", "all", "GET", run + "/tasks/nobody/children", "", 404, map[string]any{"code": "TASK_NOT_FOUND"}},
		{"no such run", "all", "GET", "/v1/runs/nobody/tasks/keep", "", 404, map[string]any{"code": "RUN_NOT_FOUND"}},
		{"a cursor that is none", "all", "GET", run + "/tasks/keep/chain?cursor=x", "", 422, map[string]any{"code": "INVALID"}},
		{"another", "all", "GET", run + "/tasks/keep/children?cursor=x", "", 422, map[string]any{"code": "INVALID"}},
		{"the person sees it", personToken, "GET", run + "/tasks/keep", "", 200, map[string]any{"step": "keep"}},
		{"a run of others", "editor", "GET", run + "/tasks/keep", "", 404, map[string]any{"code": "RUN_NOT_FOUND"}},
		{"a chain of others", "editor", "GET", run + "/tasks/keep/chain", "", 404, map[string]any{"code": "RUN_NOT_FOUND"}},
		{"children of others", "editor", "GET", run + "/tasks/keep/children", "", 404, map[string]any{"code": "RUN_NOT_FOUND"}},
	} {
		s.answer(t, c)
	}
	_, whole := s.ask(t, "all", "GET", run+"/tasks/keep", "")
	if whole["startedAt"] == nil && whole["finishedAt"] == nil {
		t.Errorf("the times of the step are not told: %v", whole)
	}
}

// TestATaskThatFailed says why, and one that came to nothing has no result.
func TestATaskThatFailed(t *testing.T) {
	t.Parallel()
	s := serve(t)
	begun := s.answer(t, gives{"a chain", personToken, "POST", "/v1/runs?wait=0", `[{"content": {"type": "tool", "data": {"name": "notes.create", "arguments": {"title": "a", "content": "b"}}}}, {"content": {"type": "tool", "data": {"name": "echo", "arguments": {"text": "x"}}}}]`, 202, nil})
	run := fmt.Sprintf("/v1/runs/%v", begun["run"])
	s.say(t, false)
	s.answer(t, gives{"its end", personToken, "GET", run + "/result", "", 200, map[string]any{"status": "failed"}})
	_, tasks := s.ask(t, personToken, "GET", run+"/tasks", "")
	first, second := fmt.Sprint(dig(tasks, "tasks.0.id")), fmt.Sprint(dig(tasks, "tasks.1.id"))
	failed := s.answer(t, gives{"the call", personToken, "GET", run + "/tasks/" + first, "", 200, map[string]any{"state": "failed", "error.code": "CONSENT_DENIED", "result": nil}})
	s.answer(t, gives{"the next", personToken, "GET", run + "/tasks/" + second, "", 200, map[string]any{"state": "skipped", "error": nil, "result": nil, "arguments.text": "x"}})
	children := s.answer(t, gives{"what came of it", personToken, "GET", run + "/tasks/" + first + "/children", "", 200, map[string]any{"chains.0.0.type": "error"}})
	s.answer(t, gives{"the error", personToken, "GET", run + "/tasks/" + fmt.Sprint(dig(children, "chains.0.0.id")), "", 200, map[string]any{"type": "error", "error": failed["error"]}})
}

// say answers the next question.
func (s *served) say(t *testing.T, allow bool) {
	t.Helper()
	for {
		_, list := s.ask(t, personToken, "GET", "/v1/consents", "")
		if id, ok := dig(list, "consents.0.id").(string); ok {
			s.answer(t, gives{"an answer", personToken, "POST", "/v1/consents/" + id + "/answer", fmt.Sprintf(`{"allow": %v}`, allow), 200, map[string]any{"state": "answered"}})
			return
		}
	}
}

func TestRunAgainOverHTTP(t *testing.T) {
	t.Parallel()
	s := serve(t)
	run := s.kept(t)
	for _, c := range []gives{
		{"the plan", personToken, "POST", run + "/again", `{"plan": true}`, 200, map[string]any{"reused": 0, "effects.0.name": "notes.create", "effects.0.step": "keep", "effects.0.arguments.content": "tea", "effects.1": nil, "run": nil}},
		{"the plan from a step on", personToken, "POST", run + "/again", `{"plan": true, "from": "keep"}`, 200, map[string]any{"reused": 1, "effects.0.step": "keep", "run": nil}},
		{"nothing was run", personToken, "GET", "/v1/data/notes", "", 200, map[string]any{"total": 1}},
		{"from nowhere", personToken, "POST", run + "/again", `{"from": "nobody"}`, 404, map[string]any{"code": "TASK_NOT_FOUND"}},
		{"of nobody", personToken, "POST", "/v1/runs/nobody/again", "", 404, map[string]any{"code": "RUN_NOT_FOUND"}},
		{"an unknown field", personToken, "POST", run + "/again", `{"since": "keep"}`, 422, map[string]any{"code": "INVALID", "field": "body.since"}},
		{"a program", "all", "POST", run + "/again", `{"plan": true}`, 403, map[string]any{"code": "CONSENT_FORBIDDEN"}},
	} {
		s.answer(t, c)
	}
	for i, body := range []string{"", `{"from": "keep"}`} {
		again := s.answer(t, gives{"again", personToken, "POST", run + "/again", body, 200, map[string]any{"reused": i, "run.caller": "person:ada"}})
		result := fmt.Sprintf("/v1/runs/%v/result", dig(again, "run.id"))
		s.answer(t, gives{"its end", personToken, "GET", result, "", 200, map[string]any{"status": "succeeded", "value": map[string]any{"note": "A thought"}}})
		s.answer(t, gives{"it was made again", personToken, "GET", "/v1/data/notes", "", 200, map[string]any{"total": i + 2}})
	}
	waiting := s.answer(t, gives{"a run that waits", "all", "POST", "/v1/tools/wait/call?wait=0", `{"seconds": 600}`, 202, nil})
	s.answer(t, gives{"it is not over", personToken, "POST", fmt.Sprintf("/v1/runs/%v/again", waiting["run"]), "", 409, map[string]any{"code": "RUN_UNSETTLED"}})
	s.answer(t, gives{"everything is stopped", personToken, "POST", "/v1/stop", "", 200, nil})
	s.answer(t, gives{"so nothing is run again", personToken, "POST", run + "/again", "", 503, map[string]any{"code": "STOPPED"}})
}

const sender = `{
  "schema": "talos.local-tool.v1", "id": "send", "version": 1, "title": "Send", "description": "Sends.",
  "createdAt": "2026-11-27T16:00:00Z", "parentVersion": null, "execution": "declarative-flow", "installScope": "device",
  "network": {"mode": "allowlist", "domains": ["api.example.com"]}, "credentialRequirements": [],
  "flow": {"entry": "send", "maxTransitions": 8, "nodes": [
    {"id": "send", "type": "capability", "capability": "http.post", "input": {"url": "https://api.example.com/"}, "target": "$.sent", "next": "done"},
    {"id": "done", "type": "return", "value": "sent"}
  ]}
}`

// leave keeps a run whose process ended while a step that reaches outside was under way.
func (s *served) leave(t *testing.T) string {
	t.Helper()
	result := check.Run([]byte(sender), capability.Builtin())
	if !result.OK() {
		t.Fatal(result.Diagnostics)
	}
	const gone = "gone"
	started, err := s.engine.Call(t.Context(), engine.Request{
		Chains: [][]task.Draft{{task.CallOf(task.Call{Name: "dynamic:send", Arguments: map[string]any{}})}},
		Files:  []*check.Checked{result.Tool}, Caller: "http:editor", Owner: gone,
	})
	if err != nil {
		t.Fatal(err)
	}
	err = s.store.Write(t.Context(), func(tx store.Tx) error {
		first, err := tx.Graph().Reserve(t.Context(), started.Run.ID, gone, 1)
		if err != nil {
			return err
		}
		placer := task.Placer{Seq: first, Now: started.Run.CreatedAt.UnixMilli()}
		step := placer.Step(&started.Batch.Tasks[0], task.ID{}, task.Call{
			Name: "http.post", Arguments: map[string]any{"url": "https://api.example.com/"}, Step: "send",
		})
		step.Executions[0].State, step.Executions[0].Attempts = task.Running, 1
		step.Executions = append(step.Executions, task.Execution{Seq: 0, State: task.Running, Attempts: 1, Granted: "settings"})
		return tx.Graph().Append(t.Context(), started.Run.ID, step)
	})
	if err != nil {
		t.Fatal(err)
	}
	return "/v1/runs/" + started.Run.ID
}

// TestResumeOverHTTP takes up a run that was left, and says what is true of its unknown step.
func TestResumeOverHTTP(t *testing.T) {
	t.Parallel()
	for answer, want := range map[string]map[string]any{
		"done":       {"status": "succeeded", "value": "sent"},
		"compensate": {"status": "failed", "error.code": "STEP_UNKNOWN"},
	} {
		s := serve(t)
		run := s.leave(t)
		s.answer(t, gives{"a program", "editor", "POST", run + "/resume", "", 403, map[string]any{"code": "CONSENT_FORBIDDEN"}})
		s.answer(t, gives{"take it up", personToken, "POST", run + "/resume", "", 200, map[string]any{"caller": "http:editor"}})
		s.say(t, true) // the call was allowed before its process ended, and is asked about anew
		s.answer(t, gives{"it stands", personToken, "GET", run + "/result", "", 202, map[string]any{"status": "unknown", "settled": false}})
		for _, c := range []gives{
			{"no answer", personToken, "POST", run + "/resume", `{"answer": "perhaps"}`, 422, map[string]any{"code": "INVALID", "field": "body.answer"}},
			{"a step without an answer", personToken, "POST", run + "/resume", `{"step": "send"}`, 422, map[string]any{"code": "INVALID", "field": "body.answer"}},
			{"another step", personToken, "POST", run + "/resume", `{"answer": "done", "step": "look"}`, 409, map[string]any{"code": "RUN_NOTHING_UNKNOWN"}},
			{"nobody", personToken, "POST", "/v1/runs/nobody/resume", "", 404, map[string]any{"code": "RUN_NOT_FOUND"}},
		} {
			s.answer(t, c)
		}
		s.answer(t, gives{"the answer", personToken, "POST", run + "/resume", fmt.Sprintf(`{"answer": %q, "step": "send"}`, answer), 200, nil})
		s.answer(t, gives{"its end", personToken, "GET", run + "/result", "", 200, want})
		s.answer(t, gives{"it is over", personToken, "POST", run + "/resume", "", 409, map[string]any{"code": "RUN_SETTLED"}})
	}
}
