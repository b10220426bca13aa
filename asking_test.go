package toolsmith_test

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"testing"
	"time"

	"toolsmith"
	"toolsmith/tool"
)

// TestCloseWhileAsked ends what is asked, says nothing in the log, and leaves the question to
// whoever opens the folder next.
func TestCloseWhileAsked(t *testing.T) {
	t.Parallel()
	folder, ctx := t.TempDir(), t.Context()
	begun, ended := make(chan toolsmith.Question, 1), make(chan error, 1)
	logged := make(lines, 10)
	r := openedWith(t, toolsmith.Options{
		Data: folder, Log: slog.New(slog.NewTextHandler(logged, nil)),
		Ask: func(ctx context.Context, q toolsmith.Question) (toolsmith.Answer, error) {
			if end, ok := ctx.Deadline(); !ok || !end.Equal(q.ExpiresAt) {
				t.Errorf("it may take until %s; the question is open until %s", end, q.ExpiresAt)
			}
			begun <- q
			<-ctx.Done()
			ended <- ctx.Err()
			return toolsmith.Answer{Allow: true}, nil
		},
	})
	id, err := r.Begin(ctx, []tool.Chain{aNote}, toolsmith.RunOptions{})
	if err != nil {
		t.Fatal(err)
	}
	q := <-begun
	if err := r.Close(); err != nil {
		t.Error(err)
	}
	select {
	case err := <-ended:
		if !errors.Is(err, context.Canceled) {
			t.Errorf("it was ended with %v", err)
		}
	default:
		t.Error("it is closed, and whoever was asked is not told")
	}
	if err := r.Close(); err != nil {
		t.Errorf("closing again: %v", err)
	}
	select {
	case line := <-logged:
		t.Errorf("it logs %s", line)
	default:
	}

	r = openedWith(t, toolsmith.Options{Data: folder})
	list, err := r.Questions(ctx)
	if err != nil || len(list) != 1 || list[0].ID != q.ID || list[0].RunID != id {
		t.Errorf("open are %+v, %v", list, err)
	}
}

// TestCloseDoesNotWaitForever for whoever does not look whether the runtime is closed. What
// they answer then changes nothing.
func TestCloseDoesNotWaitForever(t *testing.T) {
	t.Parallel()
	folder, ctx := t.TempDir(), t.Context()
	begun, release, ended := make(chan bool), make(chan bool), make(chan bool)
	r := openedWith(t, toolsmith.Options{
		Data: folder, CloseTime: 10 * time.Millisecond,
		Ask: func(context.Context, toolsmith.Question) (toolsmith.Answer, error) {
			close(begun)
			<-release
			defer close(ended)
			return toolsmith.Answer{Allow: true}, nil
		},
	})
	if _, err := r.Begin(ctx, []tool.Chain{aNote}, toolsmith.RunOptions{}); err != nil {
		t.Fatal(err)
	}
	<-begun
	_ = r.Close() // what it says of calls that are under way is of no matter here
	close(release)
	<-ended
	r = openedWith(t, toolsmith.Options{Data: folder})
	if list, err := r.Questions(ctx); err != nil || len(list) != 1 {
		t.Errorf("open are %+v, %v", list, err)
	}
}

// TestAskedAfterResuming: a question of a run that was left reaches the program that takes the
// run up, and the answer lets the run go on.
func TestAskedAfterResuming(t *testing.T) {
	t.Parallel()
	folder, ctx := t.TempDir(), t.Context()
	first := openedWith(t, toolsmith.Options{Data: folder})
	id, err := first.Begin(ctx, []tool.Chain{aNote}, toolsmith.RunOptions{})
	if err != nil {
		t.Fatal(err)
	}
	left := waitForQuestion(t, first, 1)
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}

	questions := make(chan toolsmith.Question, 10)
	second := openedWith(t, toolsmith.Options{Data: folder, Ask: func(_ context.Context, q toolsmith.Question) (toolsmith.Answer, error) {
		questions <- q
		return toolsmith.Answer{Allow: true}, nil
	}})
	serving, stop := context.WithCancel(ctx)
	served := make(chan error, 1)
	go func() { served <- second.Serve(serving) }()
	q := <-questions
	if q.ID != left.ID || q.RunID != id || !q.ExpiresAt.Equal(left.ExpiresAt) || !slices.EqualFunc(q.Arguments, left.Arguments, slices.Equal) {
		t.Errorf("asked %+v; left was %+v", q, left)
	}
	if result, err := second.Attach(ctx, id, toolsmith.RunOptions{}); err != nil || result.Status != "succeeded" {
		t.Errorf("%+v, %v", result, err)
	}
	stop()
	if err := <-served; err != nil {
		t.Error(err)
	}
	if len(questions) > 0 {
		t.Errorf("asked again: %+v", <-questions)
	}
}

// waitForQuestion waits until the only open question is about a number of calls.
func waitForQuestion(t *testing.T, r *toolsmith.Runtime, count int) toolsmith.Question {
	t.Helper()
	for {
		list, err := r.Questions(context.Background())
		if err != nil {
			t.Error(err)
			return toolsmith.Question{}
		}
		if len(list) == 1 && list[0].Count == count {
			return list[0]
		}
	}
}

// TestAQuestionThatGrows is asked once more where the answer was for fewer calls, so that
// nothing is allowed unseen and nothing waits for ever.
func TestAQuestionThatGrows(t *testing.T) {
	t.Parallel()
	var r *toolsmith.Runtime
	shown := make(chan int, 10)
	r = openedWith(t, toolsmith.Options{InMemory: true, Ask: func(_ context.Context, q toolsmith.Question) (toolsmith.Answer, error) {
		shown <- q.Count
		waitForQuestion(t, r, 2)
		return toolsmith.Answer{Allow: true, Count: q.Count}, nil
	}})
	result, err := r.Run(t.Context(), []tool.Chain{aNote, aNote}, toolsmith.RunOptions{})
	if err != nil || result.Status != "succeeded" {
		t.Fatalf("%+v, %v", result, err)
	}
	last := 0
	for len(shown) > 0 {
		last = <-shown
	}
	if last != 2 {
		t.Errorf("what was shown last is about %d calls", last)
	}
}

// TestAnAnswerForAnotherCount is told in the log, once, and leaves the question open.
func TestAnAnswerForAnotherCount(t *testing.T) {
	t.Parallel()
	logged := make(lines, 10)
	r := openedWith(t, toolsmith.Options{
		InMemory: true, Log: slog.New(slog.NewTextHandler(logged, nil)),
		Ask: func(context.Context, toolsmith.Question) (toolsmith.Answer, error) {
			return toolsmith.Answer{Allow: true, Count: 7}, nil
		},
	})
	if _, err := r.Begin(t.Context(), []tool.Chain{aNote}, toolsmith.RunOptions{}); err != nil {
		t.Fatal(err)
	}
	<-logged
	waitForQuestion(t, r, 1)
	if len(logged) > 0 {
		t.Errorf("it logs also %s", <-logged)
	}
}
