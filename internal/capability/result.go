package capability

import (
	"encoding/json"

	"toolsmith/internal/local"
	"toolsmith/internal/value"
)

// NoteValue gives a note as the JSON value that capabilities give of it.
func NoteValue(note local.Note) map[string]any {
	return map[string]any{
		"id":        note.ID,
		"title":     note.Title,
		"content":   note.Content,
		"createdAt": value.Time(note.CreatedAt),
		"updatedAt": value.Time(note.UpdatedAt),
		"revision":  value.Int64(note.Revision),
	}
}

// TaskValue gives a task as the JSON value that capabilities give of it.
func TaskValue(task local.Task) map[string]any {
	fields := map[string]any{
		"id":          task.ID,
		"title":       task.Title,
		"description": task.Description,
		"status":      string(task.Status),
		"priority":    string(task.Priority),
		"createdAt":   value.Time(task.CreatedAt),
		"updatedAt":   value.Time(task.UpdatedAt),
		"revision":    value.Int64(task.Revision),
	}
	if task.DueAt != nil {
		fields["dueAt"] = value.Time(*task.DueAt)
	}
	return fields
}

// MemoryValue gives a memory as the JSON value that capabilities give of it.
func MemoryValue(memory local.Memory) map[string]any {
	return map[string]any{
		"id":        memory.ID,
		"title":     memory.Title,
		"content":   memory.Content,
		"kind":      memory.Kind,
		"archived":  memory.Archived,
		"createdAt": value.Time(memory.CreatedAt),
		"updatedAt": value.Time(memory.UpdatedAt),
		"revision":  value.Int64(memory.Revision),
	}
}

// listResult gives the records of a page as a JSON array, as many of them as fit.
func listResult[T any](page local.Page[T], valueOf func(T) map[string]any) Result {
	shown := make([]any, 0, len(page.Records))
	size := len("[]")
	for _, record := range page.Records {
		one := valueOf(record)
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
