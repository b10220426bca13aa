package manifest

import (
	"fmt"
	"math"
	"time"

	"toolsmith/internal/value"
)

// maxInteger is the largest whole number that every JSON program holds exactly.
const maxInteger = 1<<53 - 1

// MaxStateBytes is the largest state that a tool may declare.
const MaxStateBytes = 256 << 10

// The constant lists of fields are tables: what an object may have, in the order in
// which missing fields are reported.
var (
	manifestFields = []field{
		{"schema", true, `"schema": "` + Schema + `"`},
		{"id", true, `a permanent id, such as "friday-review"`},
		{"version", true, "a positive whole number; 1 for a new tool"},
		{"title", true, "the name that people see"},
		{"description", true, "what the tool does, for people and for models"},
		{"createdAt", true, `when this version was written, such as "2026-11-27T16:00:00Z"`},
		{"parentVersion", true, "the version that this one replaces, or null for the first"},
		{"execution", true, `"execution": "` + Execution + `"`},
		{"installScope", true, `"installScope": "` + InstallScope + `"`},
		{"network", true, `{"mode": "forbidden", "domains": []} keeps the tool offline`},
		{"credentialRequirements", true, "[] where the tool needs none"},
		{"modelDefaults", false, ""}, {"inputSchema", false, ""}, {"outputSchema", false, ""},
		{"state", false, ""}, {"triggers", false, ""}, {"ui", false, ""},
		{"flow", true, "the steps of the tool"},
	}
	networkFields = []field{
		{"mode", true, `"forbidden" or "allowlist"`},
		{"domains", true, "the exact hosts; [] when forbidden"},
	}
	credentialFields = []field{
		{"id", true, ""}, {"kind", true, `"api_profile", "oauth_profile" or "oauth_or_api_profile"`},
		{"purpose", true, "what the access is for"},
		{"outboundScope", true, "the hosts that it may be sent to; [] for none"},
	}
	requirementFields = []field{
		{"structuredOutput", false, ""}, {"minContext", false, ""}, {"privacy", false, ""},
		{"reasoning", false, ""}, {"maxInputTokens", false, ""}, {"maxOutputTokens", false, ""},
		{"fallback", false, ""},
	}
	fallbackFields = []field{{"allowed", true, "true or false"}}
	stateFields    = []field{
		{"schemaVersion", true, "1 for the first shape of the state"},
		{"maxBytes", true, "the largest size of the state in bytes"},
		{"fields", true, "the fields of the state, each with its schema"},
	}
	triggerFields = []field{
		{"id", true, ""}, {"type", true, "manual, schedule, app-resume or task-changed"},
		{"enabled", true, "true or false"}, {"schedule", false, ""},
	}
	dailyFields    = []field{{"kind", true, ""}, {"hour", true, "0 to 23"}, {"minute", true, "0 to 59"}}
	intervalFields = []field{{"kind", true, ""}, {"minutes", true, "how many minutes lie between two runs"}}
	uiFields       = []field{
		{"kind", true, `"kind": "summary"`}, {"title", true, "the heading of the card"},
		{"primaryRef", false, ""}, {"detailRefs", false, ""},
	}
	flowFields = []field{
		{"entry", true, "the id of the first step"},
		{"maxTransitions", true, "how many steps one run may enter, 1 to 256"},
		{"nodes", true, "the list of steps"},
	}
)

func (d *decoder) manifest(root *value.Node) *Manifest {
	m := &Manifest{Root: root}
	d.object(root, "the manifest", manifestFields)
	m.Schema = d.oneOf(root.Get("schema"), Schema)
	m.ID = d.text(root.Get("id"))
	m.Version = d.number(root.Get("version"))
	m.Title = d.text(root.Get("title"))
	m.Description = d.text(root.Get("description"))
	m.CreatedAt = d.time(root.Get("createdAt"))
	if parent := root.Get("parentVersion"); parent != nil && parent.Kind != value.Null {
		m.ParentVersion = d.parentVersion(parent, m.Version)
	}
	d.oneOf(root.Get("execution"), Execution)
	d.oneOf(root.Get("installScope"), InstallScope)
	m.Network = d.network(root.Get("network"))
	m.Credentials = d.credentials(root.Get("credentialRequirements"))
	m.ModelDefaults = d.requirements(root.Get("modelDefaults"))
	m.InputSchema = d.inputSchema(root.Get("inputSchema"))
	m.OutputSchema = d.schema(root.Get("outputSchema"))
	m.State = d.state(root.Get("state"))
	m.Triggers = d.triggers(root.Get("triggers"))
	m.UI = d.ui(root.Get("ui"))
	m.Flow = d.flow(root.Get("flow"))
	return m
}

func (d *decoder) time(n *value.Node) Text {
	f := d.text(n)
	if !f.Ok() {
		return f
	}
	if _, err := time.Parse(time.RFC3339, f.Value()); err != nil {
		d.At(LevelError, CodeStructure, n, fmt.Sprintf(
			`%s has to be a time with its zone (RFC 3339), such as "2026-11-27T16:00:00Z"; this is %s.`, Quote(n.Name), Quote(f.Value())))
		return Text{}
	}
	return f
}

func (d *decoder) parentVersion(n *value.Node, version Number) Number {
	if n.Kind != value.Number {
		d.At(LevelError, CodeStructure, n, fmt.Sprintf(
			`"parentVersion" has to be null or a number; this is %s.`, n.Kind))
		return Number{}
	}
	f := d.number(n)
	parent, ok := value.Integer(f.Value())
	if !ok || parent < 1 || parent > maxInteger {
		d.At(LevelError, CodeStructure, n, fmt.Sprintf(
			`"parentVersion" has to be null for a first version, or the version that this one replaces, a positive whole number; this is %s.`, n.Text))
		return Number{}
	}
	if own, ok := value.Integer(version.Value()); ok && version.Ok() && own >= 1 && parent >= own {
		d.At(LevelError, CodeStructure, n, fmt.Sprintf(
			`"parentVersion" has to be below "version" (%d); this is %d.`, own, parent))
		return Number{}
	}
	return f
}

func (d *decoder) network(n *value.Node) *Network {
	if !d.object(n, `"network"`, networkFields) {
		return nil
	}
	network := &Network{Node: n, Mode: d.oneOf(n.Get("mode"), "forbidden", "allowlist")}
	if domains := n.Get("domains"); domains != nil && domains.Kind == value.Array {
		network.DomainsNode = domains
	}
	network.Domains = d.texts(n.Get("domains"))
	return network
}

func (d *decoder) credentials(n *value.Node) []*Credential {
	var list []*Credential
	for item := range d.items(n) {
		if !d.object(item, "a credential", credentialFields) {
			continue
		}
		list = append(list, &Credential{
			Node:          item,
			ID:            d.text(item.Get("id")),
			Kind:          d.oneOf(item.Get("kind"), "api_profile", "oauth_profile", "oauth_or_api_profile"),
			Purpose:       d.text(item.Get("purpose")),
			OutboundScope: d.texts(item.Get("outboundScope")),
		})
	}
	return list
}

func (d *decoder) requirements(n *value.Node) *Requirements {
	what := "the requirements of a model step"
	if n != nil && n.Name == "modelDefaults" {
		what = `"modelDefaults"`
	}
	if !d.object(n, what, requirementFields) {
		return nil
	}
	r := &Requirements{
		Node:             n,
		StructuredOutput: d.boolean(n.Get("structuredOutput")),
		MinContext:       d.integer(n.Get("minContext"), 0, maxInteger),
		Privacy:          d.oneOf(n.Get("privacy"), "local-only", "local-preferred", "remote-allowed"),
		Reasoning:        d.oneOf(n.Get("reasoning"), "off", "low", "medium", "high"),
		MaxInputTokens:   d.integer(n.Get("maxInputTokens"), 0, maxInteger),
		MaxOutputTokens:  d.integer(n.Get("maxOutputTokens"), 0, maxInteger),
	}
	if fallback := n.Get("fallback"); d.object(fallback, `"fallback"`, fallbackFields) {
		r.FallbackAllowed = d.boolean(fallback.Get("allowed"))
	}
	return r
}

func (d *decoder) state(n *value.Node) *State {
	if !d.object(n, `"state"`, stateFields) {
		return nil
	}
	s := &State{
		Node:          n,
		SchemaVersion: d.integer(n.Get("schemaVersion"), 1, maxInteger),
		MaxBytes:      d.integer(n.Get("maxBytes"), 1, MaxStateBytes),
	}
	if fields := n.Get("fields"); fields != nil && d.schemas(fields) {
		s.Fields = fields
	}
	return s
}

func (d *decoder) triggers(n *value.Node) []*Trigger {
	var list []*Trigger
	for item := range d.items(n) {
		if !d.object(item, "a trigger", triggerFields) {
			continue
		}
		t := &Trigger{
			Node:    item,
			ID:      d.text(item.Get("id")),
			Type:    d.oneOf(item.Get("type"), "manual", "schedule", "app-resume", "task-changed"),
			Enabled: d.boolean(item.Get("enabled")),
		}
		if t.ID.Ok() && !ValidID(t.ID.Value()) {
			d.At(LevelError, CodeStructure, t.ID.Node, fmt.Sprintf("The id of a trigger has %s; this is %s.", IDRule, Quote(t.ID.Value())))
		}
		if schedule := item.Get("schedule"); schedule != nil {
			t.Schedule = d.schedule(schedule)
			if t.Type.Ok() && t.Type.Value() != "schedule" {
				d.At(LevelError, CodeStructure, schedule, fmt.Sprintf(
					`Only a trigger of the type "schedule" has a schedule; this one is %s.`, Quote(t.Type.Value())))
			}
		}
		list = append(list, t)
	}
	return list
}

func (d *decoder) schedule(n *value.Node) *Schedule {
	kind, fields := "daily", dailyFields
	if k := n.Get("kind"); k != nil && k.Kind == value.String {
		switch k.Text {
		case "daily":
		case "interval":
			kind, fields = "interval", intervalFields
		default:
			d.oneOf(k, "daily", "interval") // what else it should have is not known
			return nil
		}
	}
	if !d.object(n, "a schedule of the kind "+Quote(kind), fields) {
		return nil
	}
	s := &Schedule{Node: n, Kind: d.oneOf(n.Get("kind"), "daily", "interval")}
	if kind == "daily" {
		s.Hour = d.integer(n.Get("hour"), 0, 23)
		s.Minute = d.integer(n.Get("minute"), 0, 59)
	} else {
		s.Minutes = d.integer(n.Get("minutes"), 1, math.MaxInt32)
	}
	return s
}

func (d *decoder) ui(n *value.Node) *UI {
	if !d.object(n, `"ui"`, uiFields) {
		return nil
	}
	d.oneOf(n.Get("kind"), "summary")
	return &UI{
		Node:       n,
		Title:      d.text(n.Get("title")),
		PrimaryRef: d.uiRef(n.Get("primaryRef")),
		DetailRefs: d.uiRefs(n.Get("detailRefs")),
	}
}

func (d *decoder) uiRef(n *value.Node) Text {
	f := d.text(n)
	if !f.Ok() {
		return f
	}
	if _, err := value.ParsePath(f.Value()); err != nil {
		d.At(LevelError, CodeStructure, n, fmt.Sprintf(
			`This has to be a path to what the card shows, such as "$.output.count": %s.`, err))
		return Text{}
	}
	return f
}

func (d *decoder) uiRefs(n *value.Node) []Text {
	var list []Text
	for item := range d.items(n) {
		if f := d.uiRef(item); f.Ok() {
			list = append(list, f)
		}
	}
	return list
}
