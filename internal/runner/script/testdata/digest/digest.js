(() => {
  // m:toolsmith
  var a = globalThis.__toolsmith;
  var createTool = a.createTool;
  var ToolsmithError = a.ToolsmithError;

  // digest.ts
  var Reader = class {
    #how;
    constructor(how) {
      this.#how = how;
    }
    read() {
      switch (this.#how) {
        case "coded":
          throw new ToolsmithError("DIGEST_EMPTY", "There is nothing to digest.", { field: "$.how", details: { left: 0 } });
        case "cause": {
          const cause = new Error("Beneath.", { cause: "the root" });
          throw new RangeError("Too far.", { cause });
        }
        default:
          return digest(this).inner;
      }
    }
  };
  function digest(reader) {
    const { field } = reader;
    return { inner: field.inner };
  }
  var tool = createTool({
    name: "digest",
    description: "Fails in different ways.",
    parameters: { type: "object", properties: { how: { type: "string" } }, required: ["how"], additionalProperties: false },
    async function({ how }) {
      await null;
      return new Reader(how).read();
    }
  });
})();
