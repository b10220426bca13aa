package capability

import (
	"encoding/json"
	"strconv"

	"toolsmith/internal/local"
)

// timeFormat is RFC 3339 with always the same number of digits, so that times in UTC
// sort as texts do.
const timeFormat = "2006-01-02T15:04:05.000Z07:00"

func noteValue(note local.Note) any {
	return map[string]any{
		"id":        note.ID,
		"title":     note.Title,
		"content":   note.Content,
		"createdAt": note.CreatedAt.UTC().Format(timeFormat),
		"updatedAt": note.UpdatedAt.UTC().Format(timeFormat),
		"revision":  number(note.Revision),
	}
}

func taskValue(task local.Task) any {
	value := map[string]any{
		"id":          task.ID,
		"title":       task.Title,
		"description": task.Description,
		"status":      string(task.Status),
		"priority":    string(task.Priority),
		"createdAt":   task.CreatedAt.UTC().Format(timeFormat),
		"updatedAt":   task.UpdatedAt.UTC().Format(timeFormat),
		"revision":    number(task.Revision),
	}
	if task.DueAt != nil {
		value["dueAt"] = task.DueAt.UTC().Format(timeFormat)
	}
	return value
}

func memoryValue(memory local.Memory) any {
	return map[string]any{
		"id":        memory.ID,
		"title":     memory.Title,
		"content":   memory.Content,
		"kind":      memory.Kind,
		"archived":  memory.Archived,
		"createdAt": memory.CreatedAt.UTC().Format(timeFormat),
		"updatedAt": memory.UpdatedAt.UTC().Format(timeFormat),
		"revision":  number(memory.Revision),
	}
}

func number(n int64) json.Number { return json.Number(strconv.FormatInt(n, 10)) }

// listResult gives the records of a page as a JSON array, as many of them as fit.
func listResult[T any](page local.Page[T], value func(T) any) Result {
	shown := make([]any, 0, len(page.Records))
	size := len("[]")
	for _, record := range page.Records {
		one := value(record)
		if size += compactSize(one) + len(","); size > MaxResult {
			break
		}
		shown = append(shown, one)
	}
	result := Result{Value: shown}
	if page.Cut || len(shown) < len(page.Records) {
		result.Cut = &Cut{Shown: len(shown), Total: page.Total}
	}
	return result
}

// compactSize is how many bytes of compact JSON a value needs at most: another writer
// may escape less.
func compactSize(value any) int {
	var size counter
	encoder := json.NewEncoder(&size)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		// The values are made here, of types that always have a JSON form.
		panic(err)
	}
	return int(size) - len("\n")
}

// counter counts what is written to it.
type counter int

func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	return len(p), nil
}
