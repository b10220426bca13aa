package check

// Codes of the rules. They are stable and never reused; docs/codes.md explains each.
const (
	CodeRetryBounds          = "FORGE_RETRY_BOUNDS"
	CodeRetryBackoff         = "FORGE_RETRY_BACKOFF"
	CodeCapabilityUnknown    = "FORGE_CAPABILITY_UNKNOWN"
	CodeNetworkNotDeclared   = "FORGE_NETWORK_NOT_DECLARED"
	CodeInvalidCompensation  = "FORGE_INVALID_COMPENSATION"
	CodeCompensationUnknown  = "FORGE_COMPENSATION_UNKNOWN"
	CodeCompensationMismatch = "FORGE_COMPENSATION_MISMATCH"
	CodeLLMMissingSchema     = "FORGE_LLM_STRUCTURED_OUTPUT_MISSING_SCHEMA"
	CodeTransitionBounds     = "FORGE_TRANSITION_BOUNDS"
	CodeNodeBounds           = "FORGE_NODE_BOUNDS"
	CodeNodeID               = "FORGE_NODE_ID"
	CodeNodeDuplicate        = "FORGE_NODE_DUPLICATE"
	CodeForeachBounds        = "FORGE_FOREACH_BOUNDS"
	CodeInlineBounds         = "FORGE_INLINE_BOUNDS"
	CodeEntryMissing         = "FORGE_ENTRY_MISSING"
	CodeEdgeMissing          = "FORGE_EDGE_MISSING"
	CodeCycle                = "FORGE_CYCLE"
	CodeUnreachableNode      = "FORGE_UNREACHABLE_NODE"
	CodeID                   = "FORGE_ID"
	CodeVersion              = "FORGE_VERSION"
	CodeTitle                = "FORGE_TITLE"
	CodeDescription          = "FORGE_DESCRIPTION"
	CodeNetworkContradiction = "FORGE_NETWORK_CONTRADICTION"
	CodeDomainInvalid        = "FORGE_DOMAIN_INVALID"
	CodeCredentialID         = "FORGE_CREDENTIAL_ID"
	CodeCredentialScope      = "FORGE_CREDENTIAL_SCOPE"
	CodeSecretFound          = "FORGE_SECRET_FOUND"
	CodeOutboundForbidden    = "FORGE_OUTBOUND_FORBIDDEN"
	CodeRefUnsafe            = "FORGE_REF_UNSAFE"
	CodeTargetUnsafe         = "FORGE_TARGET_UNSAFE"
	CodeVarUnsafe            = "FORGE_VAR_UNSAFE"

	// The codes below are this project's own. They only warn.

	// CodeRefUndefined: a reference that nothing before it can have filled, or a result
	// that is never produced.
	CodeRefUndefined = "FORGE_REF_UNDEFINED"
	// CodeSchemaContradiction: a schema that no value fits, or that says nothing where it
	// seems to.
	CodeSchemaContradiction = "FORGE_SCHEMA_CONTRADICTION"
	// CodeCapabilityInput: an input that the capability is going to refuse.
	CodeCapabilityInput = "FORGE_CAPABILITY_INPUT"
	// CodeTrigger: a trigger that can never start the tool.
	CodeTrigger = "FORGE_TRIGGER"
)

// Limits of a flow.
const (
	MaxNodes       = 64
	MaxTransitions = 256
	MaxLoopItems   = 100
	MaxBodySteps   = 16
	MaxAttempts    = 3
	MaxBackoffMs   = 5000
	maxTitle       = 120
	maxDescription = 1000
	maxVersion     = 1<<53 - 1

	// PrivacyByDefault is what a model step's data may be sent to where nothing is said.
	PrivacyByDefault = "local-preferred"
)
