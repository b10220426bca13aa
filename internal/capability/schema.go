package capability

import (
	"encoding/json"

	"toolsmith/internal/local"
	"toolsmith/internal/origin"
)

// Builders of the schemas in the catalogue (JSON Schema draft 2020-12). Every field has
// a description, since people and models see it, and one type at most.

type schema map[string]any

func textSchema(description string, least, most int) schema {
	return schema{"type": "string", "description": description, "minLength": least, "maxLength": most}
}

func choiceSchema[T ~string](description string, choices ...T) schema {
	return schema{"type": "string", "description": description, "enum": choices}
}

func numberSchema(description string, least int) schema {
	return schema{"type": "integer", "description": description, "minimum": least}
}

func timeSchema(description string) schema {
	return schema{"type": "string", "format": "date-time", "description": description}
}

// contentSchema takes any value: flows cannot join texts, so a list of records is
// written down as a text by the capability.
func contentSchema(of string) schema {
	return schema{"description": "The text of the " + of + ". Any other value, such as a list of tasks, is written down as a readable outline."}
}

func limitSchema() schema {
	limit := numberSchema("The most records to give.", 1)
	limit["maximum"] = local.MaxLimit
	limit["default"] = local.DefaultLimit
	return limit
}

func cursorSchema() schema {
	return textSchema("The id of the last record already seen: the list goes on after it.", 1, local.IDLength)
}

func idSchema(of string) schema { return textSchema("The id of the "+of+".", 1, local.IDLength) }

func titleSchema(of string) schema {
	return textSchema("The title of the "+of+", 1 to 200 characters.", 1, local.MaxTitle)
}

func statusSchema(description string) schema {
	return choiceSchema(description, local.Statuses()...)
}

func prioritySchema(description string) schema {
	return choiceSchema(description, local.Priorities()...)
}

// object is the schema of an object with exactly these fields.
func object(description string, fields map[string]schema, required ...string) schema {
	if required == nil {
		required = []string{}
	}
	return schema{
		"type": "object", "description": description,
		"properties": fields, "required": required, "additionalProperties": false,
	}
}

func listOf(description string, record schema) schema {
	return schema{"type": "array", "description": description, "items": record}
}

func (s schema) encode() json.RawMessage {
	text, err := json.Marshal(s)
	if err != nil {
		panic(err) // the schemas are made here, of types that always have a JSON form
	}
	return text
}

// The schemas of the records that capabilities give.

func noteSchema() schema {
	fields := recordFields("note")
	fields["content"] = textSchema("The text of the note.", 0, local.MaxText)
	return object("A note.", fields, "id", "title", "content", "createdAt", "updatedAt", "revision")
}

func taskSchema() schema {
	fields := recordFields("task")
	fields["description"] = textSchema("What the task is about; may be empty.", 0, local.MaxText)
	fields["status"] = statusSchema("How far the task is.")
	fields["priority"] = prioritySchema("How much the task matters.")
	fields["dueAt"] = timeSchema("When the task is due, in UTC; left out when it is not due at any time.")
	return object("A task.", fields,
		"id", "title", "description", "status", "priority", "createdAt", "updatedAt", "revision")
}

func memorySchema() schema {
	fields := recordFields("memory")
	fields["content"] = textSchema("The text of the memory.", 0, local.MaxText)
	fields["kind"] = textSchema("What sort of memory it is; may be empty.", 0, local.MaxKind)
	fields["archived"] = schema{"type": "boolean", "description": "Whether it has been put away, so that no search finds it."}
	return object("A memory.", fields,
		"id", "title", "content", "kind", "archived", "createdAt", "updatedAt", "revision")
}

// requestFields are the fields that every request has.
func requestFields(address string) map[string]schema {
	return map[string]schema{
		"url": textSchema(address, 1, origin.MaxURL),
		"headers": {
			"type": "object", "description": "Headers by name.",
			"additionalProperties": schema{"type": "string", "description": "The value of the header."},
		},
		"credential": textSchema("The id of the credential to attach. Without it, the only one that may be sent to the host is.", 1, 64),
	}
}

// answerSchema is the schema of what a host answers.
func answerSchema() schema {
	return object("What the host answered. Exactly one of json, text and base64 is there.", map[string]schema{
		"status": {"type": "integer", "description": "The status, such as 200. 400 and more say that the host refused or failed; the step succeeds all the same.", "minimum": 100, "maximum": 999},
		"headers": {
			"type": "object", "description": "The headers of the answer, under names in small letters, without cookies.",
			"additionalProperties": schema{"type": "string", "description": "The value of the header; several are joined by a comma."},
		},
		"json":      {"description": "The body, where the host says that it is JSON and it is."},
		"text":      {"type": "string", "description": "The body, where it is text."},
		"base64":    {"type": "string", "description": "The body, where it is neither."},
		"truncated": {"type": "boolean", "description": "Whether the body was cut because it was too large."},
	}, "status", "headers")
}

// recordFields are the fields that every kind of record has.
func recordFields(of string) map[string]schema {
	return map[string]schema{
		"id":        idSchema(of),
		"title":     titleSchema(of),
		"createdAt": timeSchema("When the " + of + " was made, in UTC."),
		"updatedAt": timeSchema("When the " + of + " was last changed, in UTC."),
		"revision":  numberSchema("A number that every change raises.", 1),
	}
}
