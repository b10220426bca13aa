package sqlite

import (
	"database/sql"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// scans are the queries that may look at every row, and why.
var scans = map[string]string{
	"Tools":                   "gives all of them, at most some thousand",
	"AuditLines":              "gives the newest, and stops",
	"CountNotes":              "counts all",
	"CountTasks":              "counts all",
	"CountMemories":           "counts all",
	"CountNotesContaining":    "no index finds a part of a text",
	"CountTasksContaining":    "no index finds a part of a text",
	"CountMemoriesContaining": "no index finds a part of a text",
	"RunOwners":               "an index of what is not settled",
	"Secrets":                 "gives all of them",
	"Tokens":                  "gives all of them",
	"CountSecrets":            "counts all",
	"SecretFolder":            "there is one row",
	"Permissions":             "gives all of them, at most some hundred",
	"Grants":                  "gives all of them, at most some thousand",
	"ListQuestions":           "gives the newest, and stops",
	"ListOpenQuestions":       "an index of what is open, newest first",
	"CloseAllQuestions":       "an index of what is open",
	"searchWords":             "the index of words",
	"countWords":              "the index of words",
}

// TestQueriesUseAnIndex looks at the plan of every query that the driver has, so that
// none reads a whole table where it need not, or sorts what an index has in order.
func TestQueriesUseAnIndex(t *testing.T) {
	t.Parallel()
	s := open(t, t.TempDir())
	queries := readQueries(t)
	queries["searchWords"], queries["countWords"] = searchWords, countWords
	for _, name := range slices.Sorted(maps.Keys(queries)) {
		plan := explainPlan(t, s, queries[name])
		whole, sorted := strings.Contains(plan, "SCAN"), strings.Contains(plan, "TEMP B-TREE")
		if _, allowed := scans[name]; whole && !allowed {
			t.Errorf("%s reads a whole table:\n%s", name, plan)
		}
		if sorted && name != "searchWords" { // the best match is known only once all are
			t.Errorf("%s sorts:\n%s", name, plan)
		}
		if strings.HasPrefix(name, "Count") && !strings.Contains(name, "Containing") && !strings.Contains(plan, "COVERING INDEX") {
			t.Errorf("%s counts rows, not entries of an index:\n%s", name, plan)
		}
	}
	for name := range scans {
		if queries[name] == "" {
			t.Errorf("there is no query %s any more", name)
		}
	}
}

// readQueries gives the queries in queries/*.sql by their names.
func readQueries(t *testing.T) map[string]string {
	t.Helper()
	files, err := filepath.Glob("queries/*.sql")
	if err != nil || len(files) == 0 {
		t.Fatalf("no queries: %v", err)
	}
	queries := map[string]string{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, part := range strings.Split(string(text), "-- name: ")[1:] {
			heading, query, _ := strings.Cut(part, "\n")
			query, _, _ = strings.Cut(query, ";")
			query = regexp.MustCompile(`sqlc\.slice\('\w+'\)`).ReplaceAllString(query, "@one, @two")
			query = regexp.MustCompile(`sqlc\.embed\((\w+)\)`).ReplaceAllString(query, "$1.*")
			queries[strings.Fields(heading)[0]] = query
		}
	}
	return queries
}

func explainPlan(t *testing.T, s *Store, query string) string {
	t.Helper()
	var args []any
	for _, name := range regexp.MustCompile(`@\w+`).FindAllString(query, -1) {
		args = append(args, sql.Named(name[1:], "1"))
	}
	if len(args) == 0 {
		args = make([]any, strings.Count(query, "?"))
	}
	rows, err := s.writer.QueryContext(t.Context(), "EXPLAIN QUERY PLAN "+query, args...)
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	defer rows.Close()
	var plan []string
	for rows.Next() {
		var id, parent, unused int
		var step string
		if err := rows.Scan(&id, &parent, &unused, &step); err != nil {
			t.Fatal(err)
		}
		plan = append(plan, step)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return strings.Join(plan, "\n")
}
