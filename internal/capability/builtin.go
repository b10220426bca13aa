package capability

import (
	"slices"
	"sync"

	"toolsmith/internal/local"
	"toolsmith/tool"
)

// kib is 1,024 bytes.
const kib = 1024

// Builtin lists the capabilities that every host has: eight over the person's notes,
// tasks and memories, those that take back what the writing ones of them did, and two that
// reach the hosts that a tool has declared.
func Builtin() *tool.Catalogue { return builtin() }

// builtin makes the catalogue when it is first asked for; as it never changes, all share it.
var builtin = sync.OnceValue(func() *tool.Catalogue {
	return tool.NewCatalogue(slices.Concat(taskCapabilities(), noteCapabilities(), memoryCapabilities(), httpCapabilities())...)
})

func taskCapabilities() []tool.Capability {
	return []tool.Capability{
		{
			Name: "tasks.list", Summary: "Lists your tasks, newest first.",
			Power: tool.Read, Risk: tool.R1, MaxInput: 1 * kib,
			Private: true, Kind: "task", Idempotent: true,
			Input: object("Which tasks to list.", map[string]schema{
				"status": statusSchema("Only tasks with this status."),
				"query":  textSchema("Only tasks with this text in their title or description.", 0, local.MaxQuery),
				"limit":  limitSchema(),
				"cursor": cursorSchema(),
			}).encode(),
			Result: listOf("The tasks found.", taskSchema()).encode(),
		},
		{
			Name: "tasks.create", Summary: "Makes a new task.",
			Power: tool.Write, Risk: tool.R2, MaxInput: 16 * kib,
			Private: true, Kind: "task", Creates: true, Undo: "tasks.delete",
			Input: object("The new task.", map[string]schema{
				"title":       titleSchema("task"),
				"description": textSchema("What the task is about.", 0, local.MaxText),
				"status":      withDefault(statusSchema("How far the task is."), local.Todo),
				"priority":    withDefault(prioritySchema("How much the task matters."), local.Normal),
				"dueAt":       timeSchema("When the task is due: a time with a zone, such as 2026-11-27T17:00:00Z."),
			}, "title").encode(),
			Result: taskSchema().encode(),
		},
		{
			Name: "tasks.setStatus", Summary: "Changes the status of one of your tasks.",
			Power: tool.Write, Risk: tool.R2, MaxInput: 1 * kib,
			Private: true, Kind: "task", Undo: "tasks.restore",
			Input: object("The task and its new status.", map[string]schema{
				"id":     idSchema("task"),
				"status": statusSchema("The new status."),
			}, "id", "status").encode(),
			Result: taskSchema().encode(),
		},
		inverse(tool.Capability{
			Name: "tasks.delete", Summary: "Deletes one of your tasks; tasks.restore brings it back.",
			Risk: tool.R2, Kind: "task", Undo: "tasks.restore", Idempotent: true,
			Result: taskSchema().encode(),
		}),
		inverse(tool.Capability{
			Name: "tasks.restore", Summary: "Takes back the last change of a task, or its deletion.",
			Risk: tool.R2, Kind: "task",
			Result: taskSchema().encode(),
		}),
	}
}

func noteCapabilities() []tool.Capability {
	return []tool.Capability{
		{
			Name: "notes.list", Summary: "Lists your notes, newest first.",
			Power: tool.Read, Risk: tool.R1, MaxInput: 1 * kib,
			Private: true, Untrusted: true, Kind: "note", Idempotent: true,
			Input: object("Which notes to list.", map[string]schema{
				"query":  textSchema("Only notes with this text in their title or content.", 0, local.MaxQuery),
				"limit":  limitSchema(),
				"cursor": cursorSchema(),
			}).encode(),
			Result: listOf("The notes found.", noteSchema()).encode(),
		},
		{
			Name: "notes.create", Summary: "Makes a new note.",
			Power: tool.Write, Risk: tool.R2, MaxInput: 32 * kib,
			Private: true, Kind: "note", Creates: true, Undo: "notes.delete",
			Input: object("The new note.", map[string]schema{
				"title":   titleSchema("note"),
				"content": contentSchema("note"),
			}, "title", "content").encode(),
			Result: noteSchema().encode(),
		},
		{
			Name: "notes.update", Summary: "Changes the title or the content of one of your notes.",
			Power: tool.Write, Risk: tool.R2, MaxInput: 32 * kib,
			Private: true, Untrusted: true, Kind: "note", Undo: "notes.restore",
			Input: object("The note, and a new title or content or both.", map[string]schema{
				"id":      idSchema("note"),
				"title":   titleSchema("note"),
				"content": contentSchema("note"),
			}, "id").encode(),
			Result: noteSchema().encode(),
		},
		inverse(tool.Capability{
			Name: "notes.delete", Summary: "Deletes one of your notes; notes.restore brings it back.",
			Risk: tool.R2, Untrusted: true, Kind: "note", Undo: "notes.restore", Idempotent: true,
			Result: noteSchema().encode(),
		}),
		inverse(tool.Capability{
			Name: "notes.restore", Summary: "Takes back the last change of a note, or its deletion.",
			Risk: tool.R2, Untrusted: true, Kind: "note",
			Result: noteSchema().encode(),
		}),
	}
}

func memoryCapabilities() []tool.Capability {
	return []tool.Capability{
		{
			Name: "memory.search", Summary: "Searches your active memories, best match first.",
			Power: tool.Read, Risk: tool.R2, MaxInput: 1 * kib,
			Private: true, Untrusted: true, Kind: "memory", Idempotent: true,
			Input: object("What to look for.", map[string]schema{
				"query": textSchema("The words to look for.", 0, local.MaxQuery),
				"limit": limitSchema(),
			}, "query").encode(),
			Result: listOf("The memories found.", memorySchema()).encode(),
		},
		{
			Name: "memory.create", Summary: "Makes a new memory, which later conversations can find.",
			Power: tool.Write, Risk: tool.R3, MaxInput: 32 * kib,
			Private: true, Kind: "memory", Creates: true, Undo: "memory.archive",
			Input: object("The new memory.", map[string]schema{
				"title":   titleSchema("memory"),
				"content": contentSchema("memory"),
				"kind":    textSchema("What sort of memory it is, in a word of your choice.", 0, local.MaxKind),
			}, "title", "content").encode(),
			Result: memorySchema().encode(),
		},
		inverse(tool.Capability{
			Name: "memory.archive", Summary: "Puts one of your memories away, so that no search finds it.",
			Risk: tool.R3, Untrusted: true, Kind: "memory", Idempotent: true,
			Result: memorySchema().encode(),
		}),
	}
}

func httpCapabilities() []tool.Capability {
	post := requestFields("The address to send to, on a host that the tool has declared.")
	post["json"] = schema{"description": "A value to send as JSON. Not with text."}
	post["text"] = schema{"type": "string", "description": "A text to send as it is. Not with json."}
	get := requestFields("The address to read, on a host that the tool has declared.")
	get["query"] = schema{
		"type": "object", "additionalProperties": true,
		"description": "What to add to the query of the address: texts, numbers, true or false, and lists of them.",
	}
	return []tool.Capability{
		{
			Name: "http.get", Summary: "Reads from a host that the tool has declared.",
			Power: tool.Outbound, Risk: tool.R4, MaxInput: 32 * kib,
			Untrusted: true, Idempotent: true, URLField: "url",
			Input:  object("What to read.", get, "url").encode(),
			Result: answerSchema().encode(),
		},
		{
			Name: "http.post", Summary: "Sends to a host that the tool has declared.",
			Power: tool.Outbound, Risk: tool.R4, MaxInput: 256 * kib,
			Untrusted: true, Irreversible: true, URLField: "url",
			Input:  object("What to send, and where to.", post, "url").encode(),
			Result: answerSchema().encode(),
		},
	}
}

// inverse fills in what the capabilities that take back a change have in common.
func inverse(c tool.Capability) tool.Capability {
	c.Power, c.MaxInput, c.Private = tool.Write, 1*kib, true
	c.Input = object("The "+c.Kind+", and the revision that it must still have.", map[string]schema{
		"id":       idSchema(c.Kind),
		"revision": numberSchema("The revision that the change to take back gave; if the "+c.Kind+" has changed since, nothing is done.", 1),
	}, "id").encode()
	return c
}

func withDefault(s schema, value any) schema {
	s["default"] = value
	return s
}
