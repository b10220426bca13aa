// Made by "npm run generate" from the OpenAPI document; not to be edited.

export interface paths {
    "/healthz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Whether the server answers */
        get: operations["health"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/readyz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Whether the server can do work */
        get: operations["ready"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What was done, by whom, and from where */
        get: operations["listAudit"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/audit/verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Find out whether somebody changed the audit
         * @description It walks over every line. Whoever can write to the whole data folder could make all of it anew: note the head that it gives somewhere else, and hand it in with expect later.
         */
        get: operations["verifyAudit"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/consents": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The questions that wait for an answer */
        get: operations["listConsents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/consents/{question}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One question */
        get: operations["getConsent"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/consents/{question}/answer": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Answer a question, as the person
         * @description The first answer counts. Only the person may answer; the token of a program never can.
         */
        post: operations["answerConsent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/data/memory": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List your memories, the newest first
         * @description With search they come with the best match first.
         */
        get: operations["listDataMemory"];
        put?: never;
        /** Make a memory */
        post: operations["createDataMemory"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/data/memory/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One memory */
        get: operations["getDataMemory"];
        put?: never;
        post?: never;
        /**
         * Delete a memory
         * @description The answer is the record as it was, with the revision of its deletion. It can be brought back with undo.
         */
        delete: operations["deleteDataMemory"];
        options?: never;
        head?: never;
        /**
         * Change a memory
         * @description What is not given stays as it is. With a revision it changes only what still has it.
         */
        patch: operations["updateDataMemory"];
        trace?: never;
    };
    "/v1/data/memory/{id}/undo": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Take the last change of a memory back
         * @description A deletion too: it is exactly what it was before, its revision included. Once more takes back the change before that one, and at last its making; undo of what is gone brings it back.
         */
        post: operations["undoDataMemory"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/data/notes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List your notes, the newest first */
        get: operations["listDataNotes"];
        put?: never;
        /** Make a note */
        post: operations["createDataNotes"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/data/notes/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One note */
        get: operations["getDataNotes"];
        put?: never;
        post?: never;
        /**
         * Delete a note
         * @description The answer is the record as it was, with the revision of its deletion. It can be brought back with undo.
         */
        delete: operations["deleteDataNotes"];
        options?: never;
        head?: never;
        /**
         * Change a note
         * @description What is not given stays as it is. With a revision it changes only what still has it.
         */
        patch: operations["updateDataNotes"];
        trace?: never;
    };
    "/v1/data/notes/{id}/undo": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Take the last change of a note back
         * @description A deletion too: it is exactly what it was before, its revision included. Once more takes back the change before that one, and at last its making; undo of what is gone brings it back.
         */
        post: operations["undoDataNotes"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/data/tasks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List your tasks (to-dos), the newest first */
        get: operations["listDataTasks"];
        put?: never;
        /** Make a task */
        post: operations["createDataTasks"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/data/tasks/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One task */
        get: operations["getDataTasks"];
        put?: never;
        post?: never;
        /**
         * Delete a task
         * @description The answer is the record as it was, with the revision of its deletion. It can be brought back with undo.
         */
        delete: operations["deleteDataTasks"];
        options?: never;
        head?: never;
        /**
         * Change a task
         * @description What is not given stays as it is. With a revision it changes only what still has it.
         */
        patch: operations["updateDataTasks"];
        trace?: never;
    };
    "/v1/data/tasks/{id}/undo": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Take the last change of a task back
         * @description A deletion too: it is exactly what it was before, its revision included. Once more takes back the change before that one, and at last its making; undo of what is gone brings it back.
         */
        post: operations["undoDataTasks"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/forge/capabilities": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What a step of a tool can call */
        get: operations["listCapabilities"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/forge/check": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Find everything that is wrong with a tool
         * @description Nothing is installed, and no tool runs. A file with errors is an answer like any other: 200 with ok false.
         */
        post: operations["checkTool"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/forge/tools": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The installed tools, those that are off too */
        get: operations["listInstalled"];
        put?: never;
        /**
         * Keep a tool, or a new version of one
         * @description It is off afterwards, until you turn it on. Of a file that declares several tools all are kept, or none. A file with errors gives MANIFEST_INVALID with all of them, and changes nothing. The very same text again changes nothing either.
         */
        post: operations["installTool"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/forge/tools/{tool}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One installed tool with all about it */
        get: operations["getInstalled"];
        put?: never;
        post?: never;
        /**
         * Take a tool away
         * @description With it goes what it remembers between runs, and its secrets. Its audit stays.
         */
        delete: operations["removeTool"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/forge/tools/{tool}/diff": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Compare two kept versions of a tool
         * @description First what the tool may do, then its steps, then the text.
         */
        get: operations["diffTool"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/forge/tools/{tool}/disable": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Turn a tool off */
        post: operations["disableTool"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/forge/tools/{tool}/enable": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Turn a tool on */
        post: operations["enableTool"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/forge/tools/{tool}/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The text of a tool, as it was installed */
        get: operations["exportTool"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/forge/tools/{tool}/rollback": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Go back to an earlier version of a tool
         * @description The tool is off afterwards. No version is lost.
         */
        post: operations["rollbackTool"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/forge/tools/{tool}/versions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The kept versions of a tool */
        get: operations["listVersions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/forge/try": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Run a tool dry: read real data, write nothing
         * @description Reads see the real data, and what the run itself would have written; nothing is written, nothing is asked and nothing is sent. With a script the answers of capabilities and of the model come from there. A tool in code runs in its sandbox; what it asks its context for fails with the code DRY_RUN where the script does not answer it.
         */
        post: operations["tryTool"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/grants": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What was allowed for longer */
        get: operations["listGrants"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/grants/{grant}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Take a grant back */
        delete: operations["revokeGrant"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/logins": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Make an address that lets a browser in once
         * @description Only the person may. The address counts for five minutes.
         */
        post: operations["makeLogin"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/peer": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What this server is, and who asks */
        get: operations["peer"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The runs, the newest first */
        get: operations["listRuns"];
        put?: never;
        /**
         * Run chains of tasks side by side
         * @description The body is one task, a list of tasks (a chain, one after the other), or a list of lists (branches). A task is {"role", "content": {"type", "data"}}.
         */
        post: operations["beginRun"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs/{run}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One run */
        get: operations["getRun"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs/{run}/again": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Run a settled run once more, from a task or step on
         * @description It becomes a new run. Ask for the plan first: it names the changes that are made again. Its calls are asked about like any other. It does not wait for the end. For the person alone.
         */
        post: operations["runAgain"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs/{run}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Stop a run
         * @description What has not begun does not begin any more, and what is running is told to stop. It does not wait for the end.
         */
        post: operations["cancelRun"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs/{run}/result": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Wait for what a run comes to
         * @description 200 is a run that is over, whatever it came to; 202 one that goes on.
         */
        get: operations["waitRun"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs/{run}/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Take up a run that was left before its end
         * @description It goes on where it was. A run that waits since nobody knows whether a step happened goes on with an answer. It does not wait for the end. For the person alone.
         */
        post: operations["resumeRun"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs/{run}/tasks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The tasks of a run */
        get: operations["listTasks"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs/{run}/tasks/{task}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One task of a run, with all about it */
        get: operations["getTask"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs/{run}/tasks/{task}/chain": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The chain that a task stands in */
        get: operations["getChain"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs/{run}/tasks/{task}/children": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The chains that came of a call
         * @description Of a flow the first of them are its steps.
         */
        get: operations["listChildren"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Find tools, runs, notes, tasks and memories
         * @description All words have to be there, in whatever case and order. Of runs, the newest 500 are looked at. A program finds the tools that it may call and the runs that it has begun, and none of the person's data.
         */
        get: operations["search"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/secrets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The names of the secrets */
        get: operations["listSecrets"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/secrets/{tool}/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Keep a secret of a tool, in place of an earlier one
         * @description A run that waits for it goes on.
         */
        put: operations["setSecret"];
        post?: never;
        /**
         * Forget a secret of a tool
         * @description Also one that cannot be opened any more.
         */
        delete: operations["deleteSecret"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/settings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What is allowed, asked about or denied */
        get: operations["getSettings"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/settings/{kind}/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Set what counts for a power, a tool or a host */
        put: operations["putSetting"];
        post?: never;
        /** Take back what was set */
        delete: operations["deleteSetting"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/start": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Let things begin again */
        post: operations["start"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/stop": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Stop everything, until it is started again */
        post: operations["stop"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The programs that may ask */
        get: operations["listTokens"];
        put?: never;
        /**
         * Let a program in
         * @description It may call tools, and see what it has begun itself. It may decide nothing.
         */
        post: operations["addToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tokens/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Let a program in no more
         * @description It counts at once, and the ports and events that the program has open end within a second.
         */
        delete: operations["removeToken"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tools": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The tools that can be called now */
        get: operations["listTools"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tools/{tool}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One tool */
        get: operations["getTool"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tools/{tool}/call": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Call a tool
         * @description The body is the arguments, as a JSON object. 200 is a call that is over, whatever it came to; 202 one that goes on.
         */
        post: operations["callTool"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tools/http.get/call": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * http.get
         * @description Reads from a host that the tool has declared.
         */
        post: operations["call_http_get"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tools/http.post/call": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * http.post
         * @description Sends to a host that the tool has declared.
         */
        post: operations["call_http_post"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tools/list/call": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * List
         * @description Gives back the items that it is given, as a list.
         */
        post: operations["call_list"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tools/map/call": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Map
         * @description Calls a tool once for each item of a list, side by side, and gives the list of what they came to, in the order of the items (null for one that failed). With a reducer, that tool is called with the list, also when some calls failed.
         */
        post: operations["call_map"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tools/memory.archive/call": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * memory.archive
         * @description Puts one of your memories away, so that no search finds it.
         */
        post: operations["call_memory_archive"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tools/memory.create/call": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * memory.create
         * @description Makes a new memory, which later conversations can find.
         */
        post: operations["call_memory_create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tools/memory.search/call": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * memory.search
         * @description Searches your active memories, best match first.
         */
        post: operations["call_memory_search"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tools/notes.create/call": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * notes.create
         * @description Makes a new note.
         */
        post: operations["call_notes_create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tools/notes.delete/call": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * notes.delete
         * @description Deletes one of your notes; notes.restore brings it back.
         */
        post: operations["call_notes_delete"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tools/notes.list/call": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * notes.list
         * @description Lists your notes, newest first.
         */
        post: operations["call_notes_list"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tools/notes.restore/call": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * notes.restore
         * @description Takes back the last change of a note, or its deletion.
         */
        post: operations["call_notes_restore"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tools/notes.update/call": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * notes.update
         * @description Changes the title or the content of one of your notes.
         */
        post: operations["call_notes_update"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tools/tasks.create/call": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * tasks.create
         * @description Makes a new task.
         */
        post: operations["call_tasks_create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tools/tasks.delete/call": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * tasks.delete
         * @description Deletes one of your tasks; tasks.restore brings it back.
         */
        post: operations["call_tasks_delete"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tools/tasks.list/call": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * tasks.list
         * @description Lists your tasks, newest first.
         */
        post: operations["call_tasks_list"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tools/tasks.restore/call": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * tasks.restore
         * @description Takes back the last change of a task, or its deletion.
         */
        post: operations["call_tasks_restore"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tools/tasks.setStatus/call": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * tasks.setStatus
         * @description Changes the status of one of your tasks.
         */
        post: operations["call_tasks_setStatus"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tools/wait/call": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Wait
         * @description Waits for a number of seconds, or until a time, and gives the time at which it ended. It takes nothing while it waits, and goes on waiting when the program is started anew.
         */
        post: operations["call_wait"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        AgainGiven: {
            /** @description The task or step from which on it is run again: an id, a beginning of it, or the path of a step. All of it by default. */
            from?: string;
            /** @description Only says what would be done, and begins nothing. */
            plan?: boolean;
        };
        AgainShown: {
            /** @description The changes that the first run made in this part, and that are made again, as far as the new run goes the same way. */
            effects: components["schemas"]["EffectShown"][];
            /**
             * Format: int64
             * @description How many recorded steps are used, and not made again.
             */
            reused: number;
            /** @description The new run; not there where only the plan was asked for. */
            run?: components["schemas"]["RunShown"];
        };
        Answer: {
            allow: boolean;
            approved?: string;
            arguments?: unknown;
            /** Format: date-time */
            at: string;
            conditions?: components["schemas"]["Condition"][];
            /** Format: int64 */
            count?: number;
            edited?: boolean;
            for?: string;
            from: string;
            grant?: string;
            hasValue?: boolean;
            reason?: string;
            /** Format: date-time */
            until?: string;
            value?: unknown;
            who: string;
        };
        AnswerGiven: {
            /** @description Yes or no. */
            allow: boolean;
            /** @description The answer to a form, where the question has one: a value that fits its schema, true or false where it has none, and nothing for a page. */
            answer?: unknown;
            /** @description Other arguments than those that were proposed. */
            arguments?: unknown;
            /** @description What the arguments of further calls must meet for a yes to count for them: all of it. */
            conditions?: components["schemas"]["ConditionGiven"][];
            /**
             * Format: int64
             * @description How many calls were shown.
             */
            count?: number;
            /**
             * @description For what a yes counts; once by default.
             * @enum {string}
             */
            for?: "once" | "run" | "always";
            /** @description What whoever called is told with a no. */
            reason?: string;
            /**
             * Format: date-time
             * @description When a yes for further calls ends.
             */
            until?: string;
        };
        AuditList: {
            /** @description The lines, the newest first. */
            audit: components["schemas"]["AuditShown"][];
            /** @description The cursor of the next page; there is none after the last. */
            next?: string;
        };
        AuditShown: {
            /** @description What was done. */
            action: string;
            /**
             * Format: date-time
             * @description When.
             */
            at: string;
            /** @description What programs may want to read of it: any JSON. */
            data?: unknown;
            /** @description More of it. */
            detail?: string;
            /** @description From where. */
            from?: string;
            /**
             * Format: int64
             * @description Its number.
             */
            seq: number;
            /** @description To which tool, by its whole name. */
            tool?: string;
            /**
             * Format: int64
             * @description Which version of it.
             */
            version?: number;
            /** @description Who did it. */
            who: string;
        };
        CallAnswer: {
            /** @description Why it did not succeed. */
            error?: components["schemas"]["CallError"];
            /** @description The run that the call is; look at it under /v1/runs. */
            run: string;
            /** @description Whether it is over. */
            settled: boolean;
            /**
             * @description What the run has come to. Waiting: a person is asked.
             * @enum {string}
             */
            status: "running" | "waiting" | "succeeded" | "failed" | "recovery_required" | "unknown" | "cancelled";
            /** @description What it came to, where it succeeded. */
            value?: unknown;
        };
        CalledShown: {
            /**
             * Format: int64
             * @description Which try it was, from 1.
             */
            attempt: number;
            /** @description The capability. */
            capability: string;
            /** @description What it was given: any JSON. */
            input: unknown;
            /** @description The path of the step. */
            step: string;
        };
        CallError: {
            /** @description The code. */
            code: string;
            /** @description What is wrong, and what to do. */
            message: string;
        };
        CapabilityList: {
            /** @description The capabilities, by name. */
            capabilities: components["schemas"]["CapabilityShown"][];
            /** @description The cursor of the next page; there is none after the last. */
            next?: string;
        };
        CapabilityShown: {
            /** @description The JSON Schema of its input. */
            input?: unknown;
            /**
             * Format: int64
             * @description How large its input may be, in bytes of compact JSON.
             */
            maxInputBytes: number;
            /** @description The name, as a manifest writes it. */
            name: string;
            /**
             * @description The power that it needs.
             * @enum {string}
             */
            power: "outbound" | "read" | "write";
            /** @description Whether what it gives is your own data. */
            private: boolean;
            /** @description The JSON Schema of what it gives. */
            result?: unknown;
            /**
             * @description The risk of calling it.
             * @enum {string}
             */
            risk: "R1" | "R2" | "R3" | "R4";
            /** @description What it does, in a sentence. */
            summary: string;
            /** @description The capability that takes back what it did, where there is one. */
            undo?: string;
            /** @description Whether what it gives may have been written by others. */
            untrusted: boolean;
        };
        CardLine: {
            /** @description What it is. */
            label: string;
            /** @description The text, safe to show. */
            text: string;
        };
        CardShown: {
            /** @description What else there is. */
            details: components["schemas"]["CardLine"][];
            /** @description What matters most, safe to show. */
            primary?: string;
            /** @description The title, safe to show. */
            title: string;
        };
        ChainList: {
            /** @description The chains side by side, each with its tasks one after the other. */
            chains: components["schemas"]["TaskShown"][][];
            /** @description The cursor of the next page; there is none after the last. */
            next?: string;
        };
        ChainShown: {
            /** @description The cursor of the next page; there is none after the last. */
            next?: string;
            /** @description The tasks of the chain, one after the other. */
            tasks: components["schemas"]["TaskShown"][];
        };
        ChangeShown: {
            /** @description What the newer one has more. */
            added: string[];
            /** @description What it has no more. */
            removed: string[];
        };
        CheckShown: {
            /** @description Everything that there is to say, in the order of the text; of several tools, of one after the other. */
            diagnostics: components["schemas"]["DiagnosticShown"][];
            /** @description Whether it may be installed: there are no errors. */
            ok: boolean;
            /** @description What was worked out of the tool; not there where there are errors, or several tools. */
            tool?: components["schemas"]["ToolFacts"];
            /** @description What was worked out of each tool of the file; none where there are errors. */
            tools: components["schemas"]["ToolFacts"][];
        };
        Compared: {
            /** @description What is different; not there where one of the two no longer passes the check. */
            facts?: components["schemas"]["DiffShown"];
            /**
             * Format: int64
             * @description The earlier version.
             */
            from: number;
            /** @description The texts side by side, as a unified diff; empty where they are the same. */
            text: string;
            /**
             * Format: int64
             * @description The later version.
             */
            to: number;
            /** @description The name of the tool. */
            tool: string;
        };
        Condition: {
            operator: string;
            path: string;
            value: unknown;
        };
        ConditionGiven: {
            /**
             * @description Whether it has to be the value, begin with it, be in it (a list), or be at most it (a number).
             * @enum {string}
             */
            operator: "equals" | "prefix" | "one-of" | "at-most";
            /** @description The argument, such as to or $.item.price. */
            path: string;
            /** @description The value: any JSON that fits the operator. */
            value: unknown;
        };
        ConsentList: {
            /** @description The questions, the newest first. */
            consents: components["schemas"]["Question"][];
            /** @description The cursor of the next page; there is none after the last. */
            next?: string;
        };
        CreatedShown: {
            /** @description The capability that made it. */
            capability: string;
            /** @description Its id, where the capability gave one. */
            id?: string;
            /** @description What it is: note, task or memory. */
            kind: string;
            /** @description Its title. */
            title: string;
            /** @description Whether a compensation took it back. */
            undone?: boolean;
        };
        DiagnosticShown: {
            /** @description The code; all are explained in docs/codes.md. */
            code: string;
            /**
             * Format: int64
             * @description The column of the place, from 1, in characters.
             */
            column: number;
            /**
             * @description An error stops an install, a warning does not.
             * @enum {string}
             */
            level: "error" | "warning";
            /**
             * Format: int64
             * @description The line of the place in the text, from 1.
             */
            line: number;
            /** @description What is wrong, and what would be right. */
            message: string;
            /** @description The narrowest field concerned, such as $.flow.nodes[2].retry.maxAttempts. */
            path: string;
        };
        DiffShown: {
            /** @description The capabilities that its steps can reach; of a tool in code, what it may call. */
            capabilities: components["schemas"]["ChangeShown"];
            /** @description The credentials that it needs; of a tool in code, the secrets that it may use. */
            credentials: components["schemas"]["ChangeShown"];
            /** @description Other fields that differ: of the manifest, or of what a tool in code declares, with source for its source. */
            fields: string[];
            /** @description Whether what it did could be taken back before. */
            fromReversibility: string;
            /** @description The risk before. */
            fromRisk: string;
            /**
             * Format: int64
             * @description The earlier version.
             */
            fromVersion: number;
            /** @description Whether the later version can do more than the earlier one. */
            grows: boolean;
            /** @description The hosts that it may reach. */
            hosts: components["schemas"]["ChangeShown"];
            /** @description Where its model steps may send their data. */
            models: components["schemas"]["ChangeShown"];
            /** @description What it needs to be allowed to do. */
            powers: components["schemas"]["ChangeShown"];
            /** @description Steps that only the later version has. */
            stepsAdded: components["schemas"]["StepDoes"][];
            /** @description Steps that both have, and that differ. */
            stepsChanged: components["schemas"]["StepChanged"][];
            /** @description Steps that only the earlier version has. */
            stepsRemoved: components["schemas"]["StepDoes"][];
            /**
             * Format: int64
             * @description How many steps are the same.
             */
            stepsUnchanged: number;
            /** @description Whether it can after. */
            toReversibility: string;
            /** @description The risk after. */
            toRisk: string;
            /**
             * Format: int64
             * @description The later version.
             */
            toVersion: number;
        };
        EffectShown: {
            /** @description What it was called with: any JSON. */
            arguments: unknown;
            /** @description The tool or capability that made it. */
            name: string;
            /** @description The step of a flow that it was. */
            step?: string;
        };
        Event: {
            /**
             * Format: double
             * @description How far the call is, out of total.
             */
            done?: number;
            /** @description What the call says of how far it is. */
            note?: string;
            /** @description The question that waits for an answer. */
            question?: string;
            /** @description The new revision of the OpenAPI document, as you see it. */
            revision?: string;
            /** @description The run. */
            run?: string;
            /** @description What the task has become. */
            state?: string;
            /** @description What the run is now. */
            status?: string;
            /** @description The task. */
            task?: string;
            /** @description The tool that it calls. */
            tool?: string;
            /**
             * Format: double
             * @description How far it is to go; 0 where that is not known.
             */
            total?: number;
            /**
             * @description What has changed. After reset, what was before is not known any more: read everything anew.
             * @enum {string}
             */
            type: "run" | "task" | "progress" | "question" | "tools" | "reset";
        };
        EventShown: {
            /**
             * Format: int64
             * @description Which try of a capability it was, from 1.
             */
            attempt?: number;
            /** @description The capability that was called. */
            capability?: string;
            /** @description Why it did not go well. */
            error?: components["schemas"]["CallError"];
            /** @description The type of the step, or compensation. */
            kind: string;
            /** @description More of it, such as the branch that was taken. */
            note?: string;
            /** @description Whether it went well. */
            ok: boolean;
            /** @description The path of the step. */
            step: string;
        };
        ExportShown: {
            /** @description The digest of the version, in lower-case hex; of a manifest the SHA-256 of the text. */
            digest: string;
            /** @description The id of the tool. */
            id: string;
            /**
             * @description What the text is: a manifest, or TypeScript or JavaScript.
             * @enum {string}
             */
            kind: "manifest" | "code";
            /** @description The name of the file of a tool in code. */
            sourceFile?: string;
            /** @description The text, as it was installed; of a tool in code its source, with the other tools of its file. */
            text: string;
            /**
             * Format: int64
             * @description The version.
             */
            version: number;
        };
        Fault: {
            /** @description Its code. */
            code?: string;
            /**
             * Format: int64
             * @description The column of the place, from 1, in characters.
             */
            column?: number;
            /** @description The path of what is at fault. */
            field: string;
            /**
             * Format: int64
             * @description The line of the place, from 1, where it is in a text.
             */
            line?: number;
            /** @description What is wrong with it. */
            message: string;
        };
        FileText: {
            /** @description The name of the file, whose ending says what the text is: TypeScript for .ts and .mts, JavaScript for .js and .mjs, and else a manifest, which it also is without a name. */
            file?: string;
            /** @description The text as it stands in the file: a manifest, or TypeScript or JavaScript. */
            text: string;
        };
        FindingShown: {
            /**
             * Format: int64
             * @description The first line that it is about, where it is about some.
             */
            first?: number;
            /**
             * @description What it is: lines that were changed, are missing, were cut off or added, or a head that does not fit.
             * @enum {string}
             */
            kind: "changed" | "missing" | "cut" | "added" | "head" | "file" | "expected";
            /**
             * Format: int64
             * @description The last line that it is about.
             */
            last?: number;
            /**
             * @description A warning may be as it should.
             * @enum {string}
             */
            level: "fault" | "warning";
            /** @description What is wrong. */
            message: string;
        };
        Form: {
            schema?: unknown;
            text?: string;
            title: string;
            url?: string;
        };
        GrantList: {
            /** @description The grants, the newest first. */
            grants: components["schemas"]["GrantShown"][];
            /** @description The cursor of the next page; there is none after the last. */
            next?: string;
        };
        GrantShown: {
            /**
             * Format: date-time
             * @description When.
             */
            at: string;
            /** @description What the arguments must meet. */
            conditions?: components["schemas"]["Condition"][];
            /**
             * Format: date-time
             * @description When it ends.
             */
            expiresAt?: string;
            /** @description From where. */
            from: string;
            /** @description Its id. */
            id: string;
            /**
             * Format: date-time
             * @description When it was taken back.
             */
            revokedAt?: string;
            /** @description The run that it is for; all, if there is none. */
            run?: string;
            /** @description The tool. */
            tool: string;
            /** @description The exact version that it is for. */
            version: string;
            /** @description Who gave it. */
            who: string;
        };
        Health: {
            /** @description It answers. */
            ok: boolean;
        };
        Hit: {
            /** @description A part of its text, on one line: where what was looked for stands in it, or its beginning. Of a run its status. */
            excerpt: string;
            /** @description Its id; of a tool the name under which it is called. */
            id: string;
            /**
             * @description What it is.
             * @enum {string}
             */
            kind: "tool" | "run" | "note" | "task" | "memory";
            /** @description Its title. */
            title: string;
        };
        HitList: {
            /** @description What was found, the best match first; among equals tools come before runs, notes, tasks and memories, and the newest first. */
            hits: components["schemas"]["Hit"][];
        };
        InstallDone: {
            /** @description The warnings of the check. */
            diagnostics: components["schemas"]["DiagnosticShown"][];
            /** @description What changed against the version that was active before; not there for a new tool. */
            diff?: components["schemas"]["DiffShown"];
            /** @description Whether something was changed; false where this very text is the active version already. */
            installed: boolean;
            /** @description The further tools of a file of code that declares several. */
            others: components["schemas"]["KeptShown"][];
            /** @description The tool as it is now. A new version is off. */
            tool: components["schemas"]["InstalledShown"];
        };
        InstalledList: {
            /** @description The cursor of the next page; there is none after the last. */
            next?: string;
            /** @description The installed tools, by id. */
            tools: components["schemas"]["InstalledShown"][];
        };
        InstalledShown: {
            /** @description Whether what is kept of it no longer passes the check. Its facts are empty then. */
            broken: boolean;
            /** @description The tools that a tool in code may call, itself left out. */
            calls: string[];
            /** @description Whether it can send data out of this machine. */
            canTransmit: boolean;
            /** @description The capabilities that its steps can reach; of a tool in code, what it may call. */
            capabilities: string[];
            /**
             * Format: date-time
             * @description When its active version was last changed, or it was turned on or off.
             */
            changedAt: string;
            /** @description What its author says of it. */
            description: string;
            /** @description What is wrong with it, where it is broken. */
            diagnostics?: components["schemas"]["DiagnosticShown"][];
            /** @description A SHA-256 in lower-case hex: of the text of a manifest, or of all that the author of a tool in code wrote for it. */
            digest: string;
            /** @description Whether it is on. */
            enabled: boolean;
            /** @description The name of the file of a tool in code. */
            file?: string;
            /** @description The hosts that it may reach. */
            hosts: string[];
            /** @description Its id: as the manifest has it, or code: and the name of a tool in code. */
            id: string;
            /**
             * @description What it is written in: a manifest, or TypeScript or JavaScript.
             * @enum {string}
             */
            kind: "manifest" | "code";
            /** @description The name under which it is called. */
            name: string;
            /** @description Why it cannot run even when it is on; not there where nothing stands in its way. */
            obstacle?: components["schemas"]["CallError"];
            /** @description What it needs to be allowed to do: outbound, read, write. */
            powers: string[];
            /** @description Whether it reads your notes, tasks or memory. */
            readsPrivate: boolean;
            /** @description Whether it reads what others may have written. */
            readsUntrusted: boolean;
            /** @description Whether what it did can be taken back: read-only, compensable or irreversible. */
            reversibility: string;
            /** @description R1 to R4: what it can do at worst. */
            risk: string;
            /** @description The secrets that it may use, by their names. */
            secrets: string[];
            /** @description Its title for people. */
            title: string;
            /** @description Whether it asks a language model. */
            usesModel: boolean;
            /**
             * Format: int64
             * @description Its version; of an installed tool the active one. Those of tools in code are counted when they are installed; before that it is 0.
             */
            version: number;
        };
        InstalledTool: {
            /** @description Whether what is kept of it no longer passes the check. Its facts are empty then. */
            broken: boolean;
            /** @description The tools that a tool in code may call, itself left out. */
            calls: string[];
            /** @description Whether it can send data out of this machine. */
            canTransmit: boolean;
            /** @description The capabilities that its steps can reach; of a tool in code, what it may call. */
            capabilities: string[];
            /**
             * Format: date-time
             * @description When its active version was last changed, or it was turned on or off.
             */
            changedAt: string;
            /** @description What its author says of it. */
            description: string;
            /** @description What is wrong with it, where it is broken. */
            diagnostics?: components["schemas"]["DiagnosticShown"][];
            /** @description A SHA-256 in lower-case hex: of the text of a manifest, or of all that the author of a tool in code wrote for it. */
            digest: string;
            /** @description Whether it is on. */
            enabled: boolean;
            /** @description The name of the file of a tool in code. */
            file?: string;
            /** @description The hosts that it may reach. */
            hosts: string[];
            /** @description Its id: as the manifest has it, or code: and the name of a tool in code. */
            id: string;
            /** @description The JSON Schema of its input; not there where anything goes. */
            inputSchema?: unknown;
            /**
             * @description What it is written in: a manifest, or TypeScript or JavaScript.
             * @enum {string}
             */
            kind: "manifest" | "code";
            /** @description The name under which it is called. */
            name: string;
            /** @description Why it cannot run even when it is on; not there where nothing stands in its way. */
            obstacle?: components["schemas"]["CallError"];
            /** @description The JSON Schema of its output, where it has one. */
            outputSchema?: unknown;
            /** @description What it needs to be allowed to do: outbound, read, write. */
            powers: string[];
            /** @description Whether it reads your notes, tasks or memory. */
            readsPrivate: boolean;
            /** @description Whether it reads what others may have written. */
            readsUntrusted: boolean;
            /** @description Whether what it did can be taken back: read-only, compensable or irreversible. */
            reversibility: string;
            /** @description R1 to R4: what it can do at worst. */
            risk: string;
            /** @description The secrets that it may use, by their names. */
            secrets: string[];
            /** @description The steps of its flow, in the order of its text; none of a tool in code. */
            steps: components["schemas"]["StepShown"][];
            /** @description Its title for people. */
            title: string;
            /** @description Whether it asks a language model. */
            usesModel: boolean;
            /**
             * Format: int64
             * @description Its version; of an installed tool the active one. Those of tools in code are counted when they are installed; before that it is 0.
             */
            version: number;
            /** @description The kept versions, the highest first. */
            versions: number[];
        };
        KeptShown: {
            /** @description What changed against the version that was active before; not there for a new tool. */
            diff?: components["schemas"]["DiffShown"];
            /** @description Whether something was changed; false where this very text is the active version already. */
            installed: boolean;
            /** @description The tool as it is now. A new version is off. */
            tool: components["schemas"]["InstalledShown"];
        };
        LoginMade: {
            /**
             * Format: date-time
             * @description Until when it does.
             */
            expiresAt: string;
            /** @description The address to open, from the root of the server. It lets a browser in once. */
            path: string;
        };
        Marks: {
            canTransmit: boolean;
            capabilities: string[];
            modelPrivacy?: string[];
            powers: string[];
            readsPrivate: boolean;
            readsUntrusted: boolean;
            reversibility: string;
            risk: string;
        };
        MemoryEdit: {
            /** @description Puts it away, or takes it out again. */
            archived?: boolean;
            /** @description What is to be remembered now. */
            content?: string;
            /** @description The new word to sort by. */
            kind?: string;
            /**
             * Format: int64
             * @description The revision that it must still have; any by default.
             */
            revision?: number;
            /** @description The new title. */
            title?: string;
        };
        MemoryList: {
            /** @description The memories: the newest first, or the best match first in a search. */
            memory: components["schemas"]["MemoryShown"][];
            /** @description The cursor of the next page; there is none after the last, and none in a search. */
            next?: string;
            /**
             * Format: int64
             * @description How many match, on all pages.
             */
            total: number;
        };
        MemoryNew: {
            /** @description What is to be remembered, at most 32 KiB. */
            content: string;
            /** @description A word to sort by, at most 40 characters. */
            kind?: string;
            /** @description The title. */
            title: string;
        };
        MemoryShown: {
            /** @description Whether it is put away: kept, and found by no search. */
            archived: boolean;
            /** @description What is remembered. */
            content: string;
            /**
             * Format: date-time
             * @description When it was made.
             */
            createdAt: string;
            /** @description Its id. */
            id: string;
            /** @description A word to sort by; may be empty. */
            kind: string;
            /**
             * Format: int64
             * @description 1 for a new one, and higher after every change.
             */
            revision: number;
            /** @description Its title. */
            title: string;
            /**
             * Format: date-time
             * @description When it was last changed.
             */
            updatedAt: string;
        };
        MemoryUndone: {
            /** @description The memory as it is now; not there where it is gone. */
            memory?: components["schemas"]["MemoryShown"];
            /** @description What was taken back. */
            undone: components["schemas"]["Undoing"];
        };
        NoteEdit: {
            /** @description The new text. */
            content?: string;
            /**
             * Format: int64
             * @description The revision that it must still have; any by default.
             */
            revision?: number;
            /** @description The new title. */
            title?: string;
        };
        NoteList: {
            /** @description The cursor of the next page; there is none after the last. */
            next?: string;
            /** @description The notes, the newest first. */
            notes: components["schemas"]["NoteShown"][];
            /**
             * Format: int64
             * @description How many match, on all pages.
             */
            total: number;
        };
        NoteNew: {
            /** @description The text, at most 32 KiB. */
            content?: string;
            /** @description The title. */
            title: string;
        };
        NoteShown: {
            /** @description Its text. */
            content: string;
            /**
             * Format: date-time
             * @description When it was made.
             */
            createdAt: string;
            /** @description Its id. */
            id: string;
            /**
             * Format: int64
             * @description 1 for a new one, and higher after every change.
             */
            revision: number;
            /** @description Its title. */
            title: string;
            /**
             * Format: date-time
             * @description When it was last changed.
             */
            updatedAt: string;
        };
        NoteUndone: {
            /** @description The note as it is now; not there where it is gone. */
            note?: components["schemas"]["NoteShown"];
            /** @description What was taken back. */
            undone: components["schemas"]["Undoing"];
        };
        Peer: {
            /** @description Where the OpenAPI document is. */
            document: string;
            /** @description Always toolsmith. */
            name: string;
            /** @description Whether you may decide what may run. */
            person: boolean;
            /** @description The revision of the document now. */
            revision: string;
            /** @description The version of the server. */
            version: string;
            /** @description Who asks: the person, or the name of the token. */
            you: string;
        };
        /** @description What a tool says of itself. */
        "PortMessage.declaration": {
            /** @description The context methods that the host has for this tool; no other is answered. */
            context?: components["schemas"]["PortMessage.method"][];
            description: string;
            /** @description A hint: shown, never trusted. */
            idempotent?: boolean;
            longDescription?: string;
            name: components["schemas"]["PortMessage.toolName"];
            /** @description A JSON Schema (draft 2020-12) of an object, at most 64 KiB. */
            parameters: {
                /** @constant */
                type: "object";
            };
            /** @description A hint: shown, never trusted. */
            readOnly?: boolean;
            renderOptions?: Record<string, unknown>;
            /** @description A JSON Schema of what the tool returns, at most 64 KiB. */
            result?: Record<string, unknown> | boolean;
            /** @description How long a call may take, in milliseconds. Default: 30000. */
            timeout?: number;
            title?: string;
            version?: string;
        };
        "PortMessage.fault": {
            code: string;
            details?: unknown;
            /** @description The path of the value at fault, such as $.path. */
            field?: string;
            /** @description For people. */
            message: string;
        };
        "PortMessage.fromHost": components["schemas"]["PortMessage.host-hello"] | components["schemas"]["PortMessage.host-register"] | components["schemas"]["PortMessage.host-unregister"] | components["schemas"]["PortMessage.host-progress"] | components["schemas"]["PortMessage.host-result"] | components["schemas"]["PortMessage.host-error"] | components["schemas"]["PortMessage.host-context"] | components["schemas"]["PortMessage.host-call"] | components["schemas"]["PortMessage.host-cancel"] | components["schemas"]["PortMessage.host-ping"];
        "PortMessage.fromServer": components["schemas"]["PortMessage.server-hello"] | components["schemas"]["PortMessage.server-registered"] | components["schemas"]["PortMessage.server-unregistered"] | components["schemas"]["PortMessage.server-call"] | components["schemas"]["PortMessage.server-cancel"] | components["schemas"]["PortMessage.server-context"] | components["schemas"]["PortMessage.server-progress"] | components["schemas"]["PortMessage.server-result"] | components["schemas"]["PortMessage.server-error"] | components["schemas"]["PortMessage.server-pong"];
        /** @description Calls a tool of the server, as a run. deadline counts from now; taskId is the task of a call under way on this port. */
        "PortMessage.host-call": {
            arguments?: Record<string, unknown>;
            deadline?: components["schemas"]["PortMessage.milliseconds"];
            id: components["schemas"]["PortMessage.id"];
            key?: string;
            taskId?: string;
            title?: string;
            tool: string;
            /** @constant */
            type: "call";
        };
        /** @description A call of the host is not wanted any more. */
        "PortMessage.host-cancel": {
            id: components["schemas"]["PortMessage.id"];
            /** @constant */
            type: "cancel";
        };
        /** @description Asks for a context method during a call of the server. */
        "PortMessage.host-context": {
            arguments?: Record<string, unknown>;
            call: components["schemas"]["PortMessage.id"];
            id: components["schemas"]["PortMessage.id"];
            method: components["schemas"]["PortMessage.method"];
            /** @constant */
            type: "context";
        };
        /** @description A call of the server has failed. */
        "PortMessage.host-error": {
            call: components["schemas"]["PortMessage.id"];
            error: components["schemas"]["PortMessage.fault"];
            /** @constant */
            type: "error";
        };
        /** @description The first message of a host. token is for where no header can carry it. */
        "PortMessage.host-hello": {
            name: components["schemas"]["PortMessage.portName"];
            protocol: number;
            token?: string;
            /** @constant */
            type: "hello";
            version?: string;
        };
        /** @description Is answered with pong. */
        "PortMessage.host-ping": {
            id: components["schemas"]["PortMessage.id"];
            /** @constant */
            type: "ping";
        };
        /** @description How far a call of the server has come. */
        "PortMessage.host-progress": {
            call: components["schemas"]["PortMessage.id"];
            done: number;
            note?: string;
            total: number;
            /** @constant */
            type: "progress";
        };
        /** @description Supplies a tool, or replaces one of the same name on this port. */
        "PortMessage.host-register": {
            id: components["schemas"]["PortMessage.id"];
            tool: components["schemas"]["PortMessage.declaration"];
            /** @constant */
            type: "register";
        };
        /** @description What a call of the server came to: a value, or subtasks. */
        "PortMessage.host-result": {
            call: components["schemas"]["PortMessage.id"];
            subtasks?: Record<string, unknown>[][];
            /** @constant */
            type: "result";
            value?: unknown;
        } & (unknown | unknown);
        /** @description Takes a tool away. Calls under way go on. */
        "PortMessage.host-unregister": {
            id: components["schemas"]["PortMessage.id"];
            name: components["schemas"]["PortMessage.toolName"];
            /** @constant */
            type: "unregister";
        };
        /** @description Chosen by who asks, unique among that side's open requests. */
        "PortMessage.id": string;
        "PortMessage.method": string;
        "PortMessage.milliseconds": number;
        "PortMessage.portName": string;
        /** @description Calls a tool of the host. deadline counts from now. */
        "PortMessage.server-call": {
            arguments: Record<string, unknown>;
            caller?: string;
            deadline: components["schemas"]["PortMessage.milliseconds"];
            id: components["schemas"]["PortMessage.id"];
            runId?: string;
            taskId?: string;
            tool: components["schemas"]["PortMessage.toolName"];
            /** @constant */
            type: "call";
        };
        /** @description A call of the server is not wanted any more; whatever it still gives is ignored. */
        "PortMessage.server-cancel": {
            call: components["schemas"]["PortMessage.id"];
            reason?: string;
            /** @constant */
            type: "cancel";
        };
        /** @description What a context method gave. */
        "PortMessage.server-context": {
            id: components["schemas"]["PortMessage.id"];
            /** @constant */
            type: "context";
            value: unknown;
        };
        /** @description What was asked for under the id has failed; without an id, a message could not be understood. */
        "PortMessage.server-error": {
            error: components["schemas"]["PortMessage.fault"];
            id?: components["schemas"]["PortMessage.id"];
            runId?: string;
            /** @constant */
            type: "error";
        };
        /** @description The answer to the hello of a host. */
        "PortMessage.server-hello": {
            limits: {
                calls: number;
                messageBytes: number;
                tools: number;
            };
            /** @constant */
            protocol: 1;
            server: string;
            /** @constant */
            type: "hello";
            version: string;
        };
        /** @description The answer to ping. */
        "PortMessage.server-pong": {
            id: components["schemas"]["PortMessage.id"];
            /** @constant */
            type: "pong";
        };
        /** @description How far a call of the host has come. */
        "PortMessage.server-progress": {
            done: number;
            id: components["schemas"]["PortMessage.id"];
            note?: string;
            total: number;
            /** @constant */
            type: "progress";
        };
        /** @description A tool is registered. */
        "PortMessage.server-registered": {
            id: components["schemas"]["PortMessage.id"];
            name: components["schemas"]["PortMessage.toolName"];
            /** @constant */
            type: "registered";
        };
        /** @description What a call of the host came to. */
        "PortMessage.server-result": {
            id: components["schemas"]["PortMessage.id"];
            runId?: string;
            /** @constant */
            type: "result";
            value: unknown;
        };
        /** @description A tool was taken away. */
        "PortMessage.server-unregistered": {
            id: components["schemas"]["PortMessage.id"];
            /** @constant */
            type: "unregistered";
        };
        "PortMessage.toolName": string;
        Problem: {
            /** @description The code; all are explained in docs/codes.md. */
            code: string;
            /** @description What is wrong, and what to do. */
            detail: string;
            /** @description All that is wrong, where there are several. */
            errors?: components["schemas"]["Fault"][];
            /** @description The path of what is at fault, such as $.title. */
            field?: string;
            /**
             * Format: int64
             * @description The status of the answer.
             */
            status: number;
            /** @description What the status means. */
            title: string;
            /** @description Always about:blank: the code says what it is. */
            type: string;
        };
        PutSettingRequest: {
            /**
             * @description What counts.
             * @enum {string}
             */
            permission: "allow" | "ask" | "deny";
        };
        Question: {
            answer?: components["schemas"]["Answer"];
            /** Format: date-time */
            askedAt: string;
            by?: string;
            caller: string;
            calls?: string[];
            /** Format: int64 */
            count: number;
            description: string;
            /** Format: date-time */
            expiresAt: string;
            form?: components["schemas"]["Form"];
            hosts?: string[];
            id: string;
            marks: components["schemas"]["Marks"];
            path?: string[];
            power?: string;
            reason: string;
            /** Format: int64 */
            release?: number;
            run: string;
            runTitle: string;
            samples: unknown[];
            secret?: string;
            secrets?: string[];
            shape?: string;
            source: string;
            state: string;
            title: string;
            tool: string;
            version: string;
        };
        RemovedShown: {
            /** @description What was taken away. Its text can still be exported, until a tool with its id is installed. */
            removed: components["schemas"]["RemovedTool"];
        };
        RemovedTool: {
            /** @description The id of the tool. */
            id: string;
            /** @description The name under which it was called. */
            name: string;
            /**
             * Format: int64
             * @description The version that was active.
             */
            version: number;
        };
        ResumeGiven: {
            /**
             * @description What is true of an unknown step: it happened, it did not, or what can be is to be taken back.
             * @enum {string}
             */
            answer?: "done" | "not-done" | "compensate";
            /** @description The unknown step, where there are several. */
            step?: string;
        };
        RollbackToolRequest: {
            /**
             * Format: int64
             * @description The version to go to, which may also be a later one; the one before by default.
             */
            to?: number;
        };
        RolledBack: {
            /**
             * Format: int64
             * @description The version that was active before.
             */
            from: number;
            /** @description The tool as it is now, which is off. */
            tool: components["schemas"]["InstalledShown"];
        };
        RunList: {
            /** @description The cursor of the next page; there is none after the last. */
            next?: string;
            /** @description The runs, the newest first. */
            runs: components["schemas"]["RunShown"][];
        };
        RunShown: {
            /** @description Who asked for it. */
            caller: string;
            /** @description Why it did not succeed. */
            error?: components["schemas"]["CallError"];
            /** @description Its id; a beginning of it that no other has will do. */
            id: string;
            /**
             * Format: date-time
             * @description When it was over.
             */
            settledAt?: string;
            /**
             * Format: date-time
             * @description When it was made.
             */
            startedAt: string;
            /**
             * @description What it has come to.
             * @enum {string}
             */
            status: "running" | "waiting" | "succeeded" | "failed" | "recovery_required" | "unknown" | "cancelled";
            /**
             * Format: int64
             * @description How many tasks it has.
             */
            tasks: number;
            /** @description What it is called: the title of what it calls first, if nothing else. */
            tool: string;
        };
        SecretForgotten: {
            /** @description Its name. */
            deleted: string;
            /** @description The tool that it belonged to. */
            tool: string;
        };
        SecretGiven: {
            /** @description The header of a request that it is attached to; Authorization by default, and none where it is empty. */
            header?: string;
            /** @description What stands before it in the header; "Bearer " by default, and nothing with another header. */
            prefix?: string;
            /** @description The value. It is never given back. Line breaks around it are left out. */
            value: string;
        };
        SecretKept: {
            /** @description The header that it is attached as; empty for none. */
            header: string;
            /** @description Its name. */
            name: string;
            /** @description What is worth knowing of it. */
            notes: string[];
            /** @description What stands before it in the header. */
            prefix: string;
            /** @description The tool that it belongs to. */
            tool: string;
        };
        SecretList: {
            /** @description The cursor of the next page; there is none after the last. */
            next?: string;
            /** @description The secrets, by whose they are and their names. */
            secrets: components["schemas"]["SecretShown"][];
        };
        SecretShown: {
            /** @description The header that it is attached as. */
            header?: string;
            /** @description Its name. Values are never given. */
            name: string;
            /** @description Whose it is: the tool, and since when it is installed. */
            namespace: string;
            /** @description What stands before it in the header. */
            prefix?: string;
            /** @description Why it cannot be opened. */
            problem?: components["schemas"]["CallError"];
            /** @description Whether it can be opened here. */
            readable: boolean;
            /**
             * Format: date-time
             * @description When it was set.
             */
            setAt: string;
            /** @description By whom. */
            setBy: string;
            /** @description The tool that it belongs to, as the paths for it name it. */
            tool: string;
        };
        SettingsShown: {
            /** @description Hosts that may have an address in your own network. */
            hosts: {
                [key: string]: string;
            };
            /** @description What counts for each power: allow, ask or deny. */
            powers: {
                [key: string]: string;
            };
            /** @description Whether everything is stopped. */
            stopped: boolean;
            /** @description Tools that are asked about or denied whatever their powers allow. */
            tools: {
                [key: string]: string;
            };
        };
        StepChanged: {
            /** @description The fields that differ. */
            fields: string[];
            /** @description Its id. */
            id: string;
        };
        StepDoes: {
            /** @description The capability that it calls, or its type. */
            does: string;
            /** @description Its id. */
            id: string;
        };
        StepShown: {
            /** @description The capability that it calls, where it calls one. */
            capability?: string;
            /** @description Its id. */
            id: string;
            /** @description Its type. */
            type: string;
        };
        TaskList: {
            /** @description The cursor of the next page; there is none after the last. */
            next?: string;
            /** @description The tasks, in the order in which they were added. */
            tasks: components["schemas"]["TaskShown"][];
        };
        TaskShown: {
            /**
             * Format: int64
             * @description The chain among those of its parent.
             */
            branch: number;
            /**
             * Format: date-time
             * @description When it was added.
             */
            createdAt: string;
            /** @description What it says. */
            data: unknown;
            /** @description What allowed it: settings, a grant or an answer. */
            granted?: string;
            /** @description The hash of the task. */
            id: string;
            /** @description The tool, where it is a call. */
            name?: string;
            /** @description The call whose result made the chain. */
            parent?: string;
            /** @description The task before it in its chain. */
            prior?: string;
            /** @description Who says it. */
            role: string;
            /** @description The state, where it is a call. */
            state?: string;
            /** @description The step, where it is one of a flow. */
            step?: string;
            /** @description The type of its content. */
            type: string;
            /** @description Why it waits. */
            why?: string;
        };
        TaskWhole: {
            /** @description What it was called with, where it is a call: any JSON. Until it begins they are as they were proposed. */
            arguments?: unknown;
            /**
             * Format: int64
             * @description How often it was tried, where it is a call.
             */
            attempts?: number;
            /**
             * Format: int64
             * @description The chain among those of its parent.
             */
            branch: number;
            /**
             * Format: date-time
             * @description When it was added.
             */
            createdAt: string;
            /** @description What it says. */
            data: unknown;
            /**
             * Format: int64
             * @description How many calls are above it.
             */
            depth: number;
            /** @description Why it failed, where it did. */
            error?: components["schemas"]["CallError"];
            /**
             * Format: date-time
             * @description When it was over.
             */
            finishedAt?: string;
            /** @description What allowed it: settings, a grant or an answer. */
            granted?: string;
            /** @description The hash of the task. */
            id: string;
            /** @description The tool, where it is a call. */
            name?: string;
            /** @description The call whose result made the chain. */
            parent?: string;
            /** @description The task before it in its chain. */
            prior?: string;
            /** @description What it came to, where it came to something: any JSON. */
            result?: unknown;
            /** @description Who says it. */
            role: string;
            /**
             * Format: date-time
             * @description When it was begun, where it is a call.
             */
            startedAt?: string;
            /** @description The state, where it is a call. */
            state?: string;
            /** @description The step, where it is one of a flow. */
            step?: string;
            /** @description The type of its content. */
            type: string;
            /**
             * Format: date-time
             * @description Until when it waits.
             */
            wakeAt?: string;
            /** @description Why it waits. */
            why?: string;
        };
        TodoEdit: {
            /** @description The new description. */
            description?: string;
            /**
             * Format: date-time
             * @description When it is due now; null for at no time.
             */
            dueAt?: string | null;
            /**
             * @description How much it matters now.
             * @enum {string}
             */
            priority?: "low" | "normal" | "high";
            /**
             * Format: int64
             * @description The revision that it must still have; any by default.
             */
            revision?: number;
            /**
             * @description How far it is now.
             * @enum {string}
             */
            status?: "todo" | "doing" | "done";
            /** @description The new title. */
            title?: string;
        };
        TodoList: {
            /** @description The cursor of the next page; there is none after the last. */
            next?: string;
            /** @description The tasks, the newest first. */
            tasks: components["schemas"]["TodoShown"][];
            /**
             * Format: int64
             * @description How many match, on all pages.
             */
            total: number;
        };
        TodoNew: {
            /** @description More of it, at most 32 KiB. */
            description?: string;
            /**
             * Format: date-time
             * @description When it is due; at no time by default.
             */
            dueAt?: string;
            /**
             * @description How much it matters; normal by default.
             * @enum {string}
             */
            priority?: "low" | "normal" | "high";
            /**
             * @description How far it is; todo by default.
             * @enum {string}
             */
            status?: "todo" | "doing" | "done";
            /** @description The title. */
            title: string;
        };
        TodoShown: {
            /**
             * Format: date-time
             * @description When it was made.
             */
            createdAt: string;
            /** @description More of it. */
            description: string;
            /**
             * Format: date-time
             * @description When it is due; not there where it is not due at any time.
             */
            dueAt?: string;
            /** @description Its id. */
            id: string;
            /**
             * @description How much it matters.
             * @enum {string}
             */
            priority: "low" | "normal" | "high";
            /**
             * Format: int64
             * @description 1 for a new one, and higher after every change.
             */
            revision: number;
            /**
             * @description How far it is.
             * @enum {string}
             */
            status: "todo" | "doing" | "done";
            /** @description Its title. */
            title: string;
            /**
             * Format: date-time
             * @description When it was last changed.
             */
            updatedAt: string;
        };
        TodoUndone: {
            /** @description The task as it is now; not there where it is gone. */
            task?: components["schemas"]["TodoShown"];
            /** @description What was taken back. */
            undone: components["schemas"]["Undoing"];
        };
        TokenList: {
            /** @description The cursor of the next page; there is none after the last. */
            next?: string;
            /** @description The programs, by name. */
            tokens: components["schemas"]["TokenShown"][];
        };
        TokenMade: {
            /** @description The name of the program. */
            name: string;
            /** @description Its token. It is given this once, and only a hash of it is kept. */
            token: string;
        };
        TokenNew: {
            /** @description What the program is to be called: 1 to 64 letters, digits, ".", "_" and "-". */
            name: string;
            /** @description The tools that it may call, each of which has to be there; all if nothing is said. */
            tools?: string[];
        };
        TokenRemoved: {
            /** @description The name of the program that is let in no more. */
            removed: string;
        };
        TokenShown: {
            /**
             * Format: date-time
             * @description When it was added.
             */
            addedAt: string;
            /** @description By whom. */
            addedBy: string;
            /** @description Its name. */
            name: string;
            /** @description The tools that it may call; not there where it may call all. */
            tools?: string[];
        };
        ToolFacts: {
            /** @description The tools that a tool in code may call, itself left out. */
            calls: string[];
            /** @description Whether it can send data out of this machine. */
            canTransmit: boolean;
            /** @description The capabilities that its steps can reach; of a tool in code, what it may call. */
            capabilities: string[];
            /** @description What its author says of it. */
            description: string;
            /** @description A SHA-256 in lower-case hex: of the text of a manifest, or of all that the author of a tool in code wrote for it. */
            digest: string;
            /** @description The name of the file of a tool in code. */
            file?: string;
            /** @description The hosts that it may reach. */
            hosts: string[];
            /** @description Its id: as the manifest has it, or code: and the name of a tool in code. */
            id: string;
            /**
             * @description What it is written in: a manifest, or TypeScript or JavaScript.
             * @enum {string}
             */
            kind: "manifest" | "code";
            /** @description The name under which it is called. */
            name: string;
            /** @description What it needs to be allowed to do: outbound, read, write. */
            powers: string[];
            /** @description Whether it reads your notes, tasks or memory. */
            readsPrivate: boolean;
            /** @description Whether it reads what others may have written. */
            readsUntrusted: boolean;
            /** @description Whether what it did can be taken back: read-only, compensable or irreversible. */
            reversibility: string;
            /** @description R1 to R4: what it can do at worst. */
            risk: string;
            /** @description The secrets that it may use, by their names. */
            secrets: string[];
            /** @description Its title for people. */
            title: string;
            /** @description Whether it asks a language model. */
            usesModel: boolean;
            /**
             * Format: int64
             * @description Its version; of an installed tool the active one. Those of tools in code are counted when they are installed; before that it is 0.
             */
            version: number;
        };
        ToolList: {
            /** @description The cursor of the next page; there is none after the last. */
            next?: string;
            /** @description The tools, by name. */
            tools: components["schemas"]["ToolShown"][];
        };
        ToolShown: {
            /** @description What its author says of it. */
            description: string;
            /** @description The hosts that it may reach. */
            hosts: string[];
            /**
             * @description What it is: a forged tool, one in Go, a capability, or one of another program.
             * @enum {string}
             */
            kind: "flow" | "native" | "capability" | "client";
            /** @description What it may do, worked out from what it can reach. */
            marks: components["schemas"]["Marks"];
            /** @description The name under which it is called. */
            name: string;
            /** @description The JSON Schema of its arguments. */
            parameters: unknown;
            /** @description The JSON Schema of what it gives, where it says so. */
            result?: unknown;
            /** @description The names of the secrets that it may use. */
            secrets: string[];
            /** @description Its title for people. */
            title: string;
            /** @description A hash over all that it is; a remembered yes is for one version. */
            version: string;
        };
        TryGiven: {
            /** @description The name of the file, whose ending says what the text is: TypeScript for .ts and .mts, JavaScript for .js and .mjs, and else a manifest, which it also is without a name. */
            file?: string;
            /** @description The input, any JSON that the tool takes; an empty object by default. */
            input?: unknown;
            /** @description Answers of capabilities and model: {"capabilities": {"notes.list": [{"result": …}, {"error": "busy"}]}, "llm": [{"result": …}], "state": {…}, "checkInputs": true}. They are used call by call, and the last one repeats; a capability that is not named answers null. For a tool in code they are by the names of the methods of its context: {"capabilities": {"fetch": [{"result": {"status": 200, "headers": {}, "body": "…"}}], "getSecret": [{"result": "…"}]}}. */
            script?: unknown;
            /** @description The text of a file: a manifest, or TypeScript or JavaScript. In its place may stand the name of an installed tool. */
            text?: string;
            /** @description The name of an installed tool, which need not be on; with a text, that of one of several tools that the file declares. */
            tool?: string;
        };
        TryShown: {
            /** @description Every try of a capability. */
            calls: components["schemas"]["CalledShown"][];
            /** @description What the tool says is to be shown of it. */
            card?: components["schemas"]["CardShown"];
            /** @description The records that it would have made. */
            created: components["schemas"]["CreatedShown"][];
            /** @description Why it did not succeed. */
            error?: components["schemas"]["CallError"];
            /** @description What a tool in code wrote to its console, line by line. */
            logs?: string[];
            /** @description What it gave, any JSON; null where it did not succeed. */
            output: unknown;
            /**
             * @description How it ended.
             * @enum {string}
             */
            status: "succeeded" | "failed" | "recovery_required" | "cancelled" | "suspended";
            /** @description The chains of tasks that a tool in code returned and that would be done next, each a list of tasks; not there where it gave a plain value. */
            subtasks?: unknown[];
            /** @description The name of the tool. */
            tool: string;
            /** @description Every step, in the order in which it was done. */
            trace: components["schemas"]["EventShown"][];
            /** @description Whether there were more steps than are shown. */
            traceTruncated?: boolean;
            /** @description What would have been written, in the order in which it would have been. */
            writes: components["schemas"]["WriteShown"][];
        };
        TurnedShown: {
            /** @description Whether it was otherwise before. */
            changed: boolean;
            /** @description The tool as it is now. */
            tool: components["schemas"]["InstalledShown"];
        };
        Undoing: {
            /**
             * @description What was taken back.
             * @enum {string}
             */
            action: "create" | "update" | "archive" | "delete" | "undo";
            /**
             * Format: date-time
             * @description When that had been done.
             */
            at: string;
            /** @description Whether the record is not there any more, since its making was taken back. */
            gone: boolean;
            /** @description The id of the record. */
            id: string;
            /** @description Its title. */
            title: string;
        };
        VerifyShown: {
            /** @description What is wrong. */
            findings: components["schemas"]["FindingShown"][];
            /** @description Where the chain ends, COUNT:HASH. Note it somewhere else, to compare with it later. */
            head?: string;
            /**
             * Format: int64
             * @description How many lines it has.
             */
            lines: number;
            /** @description Whether the audit is as it was written. */
            ok: boolean;
            /**
             * Format: date-time
             * @description Since when it is chained; not there where it is not.
             */
            since?: string;
            /**
             * Format: int64
             * @description How many of them are from before the chain.
             */
            unchained: number;
        };
        VersionList: {
            /** @description The cursor of the next page; there is none after the last. */
            next?: string;
            /** @description The name of the tool. */
            tool: string;
            /** @description The kept versions, the highest first. */
            versions: components["schemas"]["VersionShown"][];
        };
        VersionShown: {
            /** @description Whether it is the one that counts. */
            active: boolean;
            /** @description Its digest in lower-case hex; of a manifest the SHA-256 of its text. */
            digest: string;
            /** @description Whether it is the one that counts, and on. */
            enabled: boolean;
            /**
             * Format: date-time
             * @description When it was installed.
             */
            installedAt: string;
            /** @description By whom. */
            installedBy: string;
            /**
             * Format: int64
             * @description The version.
             */
            version: number;
        };
        WriteShown: {
            /** @description The capability that would have written it. */
            capability: string;
            /** @description What it was given: any JSON. */
            input: unknown;
            /** @description What it answered: any JSON. */
            result: unknown;
            /** @description The path of the step. */
            step: string;
        };
    };
    responses: {
        /** @description Bad Request */
        BadRequest: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Conflict */
        Conflict: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Forbidden */
        Forbidden: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Internal Server Error */
        InternalServerError: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Not Found */
        NotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Request Entity Too Large */
        RequestEntityTooLarge: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Service Unavailable */
        ServiceUnavailable: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Unauthorized */
        Unauthorized: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Unprocessable Entity */
        UnprocessableEntity: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Unsupported Media Type */
        UnsupportedMediaType: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
    };
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    health: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Health"];
                };
            };
            403: components["responses"]["Forbidden"];
            422: components["responses"]["UnprocessableEntity"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    ready: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Health"];
                };
            };
            403: components["responses"]["Forbidden"];
            422: components["responses"]["UnprocessableEntity"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listAudit: {
        parameters: {
            query?: {
                /** @description Where the list goes on: "next" of the page before. */
                cursor?: string;
                /** @description How many at most. */
                limit?: number;
                /** @description The lines about one tool; all if nothing is said. */
                tool?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditList"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            422: components["responses"]["UnprocessableEntity"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    verifyAudit: {
        parameters: {
            query?: {
                /** @description A head that was given earlier, COUNT:HASH: it must be an earlier point of the same chain. */
                expect?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VerifyShown"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            422: components["responses"]["UnprocessableEntity"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listConsents: {
        parameters: {
            query?: {
                /** @description Also those that are answered or over. */
                all?: boolean;
                /** @description Where the list goes on: "next" of the page before. */
                cursor?: string;
                /** @description How many at most. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConsentList"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            422: components["responses"]["UnprocessableEntity"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getConsent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the question, or a beginning of it. */
                question: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Question"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            422: components["responses"]["UnprocessableEntity"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    answerConsent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the question, or a beginning of it. */
                question: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AnswerGiven"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Question"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["RequestEntityTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableEntity"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listDataMemory: {
        parameters: {
            query?: {
                /** @description Archived ones too. */
                archived?: boolean;
                /** @description Where the list goes on: "next" of the page before. */
                cursor?: string;
                /** @description How many at most. */
                limit?: number;
                /** @description Only those whose title or text has this in it, in whatever case. */
                query?: string;
                /** @description Those that have all of these words, or, where there are none, any of them: the best match first. Archived ones are not found, and it goes with limit alone. */
                search?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MemoryList"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            422: components["responses"]["UnprocessableEntity"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    createDataMemory: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MemoryNew"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MemoryShown"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["RequestEntityTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableEntity"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getDataMemory: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the record, or a beginning of it, of 4 characters or more, that no other has. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MemoryShown"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            422: components["responses"]["UnprocessableEntity"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    deleteDataMemory: {
        parameters: {
            query?: {
                /** @description The revision that it must still have; any by default. */
                revision?: number;
            };
            header?: never;
            path: {
                /** @description The id of the record, or a beginning of it, of 4 characters or more, that no other has. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MemoryShown"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["RequestEntityTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableEntity"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    updateDataMemory: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the record, or a beginning of it, of 4 characters or more, that no other has. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MemoryEdit"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MemoryShown"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["RequestEntityTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableEntity"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    undoDataMemory: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the record, or a beginning of it, of 4 characters or more, that no other has. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MemoryUndone"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["RequestEntityTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableEntity"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listDataNotes: {
        parameters: {
            query?: {
                /** @description Where the list goes on: "next" of the page before. */
                cursor?: string;
                /** @description How many at most. */
                limit?: number;
                /** @description Only those whose title or text has this in it, in whatever case. */
                query?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NoteList"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            422: components["responses"]["UnprocessableEntity"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    createDataNotes: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NoteNew"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NoteShown"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["RequestEntityTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableEntity"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getDataNotes: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the record, or a beginning of it, of 4 characters or more, that no other has. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NoteShown"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            422: components["responses"]["UnprocessableEntity"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    deleteDataNotes: {
        parameters: {
            query?: {
                /** @description The revision that it must still have; any by default. */
                revision?: number;
            };
            header?: never;
            path: {
                /** @description The id of the record, or a beginning of it, of 4 characters or more, that no other has. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NoteShown"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["RequestEntityTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableEntity"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    updateDataNotes: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the record, or a beginning of it, of 4 characters or more, that no other has. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NoteEdit"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NoteShown"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["RequestEntityTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableEntity"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    undoDataNotes: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the record, or a beginning of it, of 4 characters or more, that no other has. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NoteUndone"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["RequestEntityTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableEntity"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listDataTasks: {
        parameters: {
            query?: {
                /** @description Where the list goes on: "next" of the page before. */
                cursor?: string;
                /** @description How many at most. */
                limit?: number;
                /** @description Only those whose title or description has this in it, in whatever case. */
                query?: string;
                /** @description Only those that are so far. */
                status?: "todo" | "doing" | "done";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TodoList"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            422: components["responses"]["UnprocessableEntity"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    createDataTasks: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TodoNew"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TodoShown"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["RequestEntityTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableEntity"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getDataTasks: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the record, or a beginning of it, of 4 characters or more, that no other has. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TodoShown"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            422: components["responses"]["UnprocessableEntity"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    deleteDataTasks: {
        parameters: {
            query?: {
                /** @description The revision that it must still have; any by default. */
                revision?: number;
            };
            header?: never;
            path: {
                /** @description The id of the record, or a beginning of it, of 4 characters or more, that no other has. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TodoShown"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["RequestEntityTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableEntity"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    updateDataTasks: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the record, or a beginning of it, of 4 characters or more, that no other has. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TodoEdit"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TodoShown"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["RequestEntityTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableEntity"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    undoDataTasks: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the record, or a beginning of it, of 4 characters or more, that no other has. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TodoUndone"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["RequestEntityTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableEntity"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listCapabilities: {
        parameters: {
            query?: {
                /** @description Where the list goes on: "next" of the page before. */
                cursor?: string;
                /** @description How many at most. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CapabilityList"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            422: components["responses"]["UnprocessableEntity"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    checkTool: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["FileText"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CheckShown"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["RequestEntityTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableEntity"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listInstalled: {
        parameters: {
            query?: {
                /** @description Where the list goes on: "next" of the page before. */
                cursor?: string;
                /** @description How many at most. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InstalledList"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            422: components["responses"]["UnprocessableEntity"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    installTool: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["FileText"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InstallDone"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["RequestEntityTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableEntity"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getInstalled: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The name of the tool, with the prefix "dynamic:" of a manifest or without it. */
                tool: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InstalledTool"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            422: components["responses"]["UnprocessableEntity"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    removeTool: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The name of the tool, with the prefix "dynamic:" of a manifest or without it. */
                tool: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RemovedShown"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["RequestEntityTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableEntity"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    diffTool: {
        parameters: {
            query?: {
                /** @description The earlier version; the one before the later one by default. */
                from?: number;
                /** @description The later version; the active one by default. */
                to?: number;
            };
            header?: never;
            path: {
                /** @description The name of the tool, with the prefix "dynamic:" of a manifest or without it. */
                tool: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Compared"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            422: components["responses"]["UnprocessableEntity"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    disableTool: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The name of the tool, with the prefix "dynamic:" of a manifest or without it. */
                tool: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TurnedShown"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["RequestEntityTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableEntity"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    enableTool: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The name of the tool, with the prefix "dynamic:" of a manifest or without it. */
                tool: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TurnedShown"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["RequestEntityTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableEntity"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    exportTool: {
        parameters: {
            query?: {
                /** @description The version; the active one by default. */
                version?: number;
            };
            header?: never;
            path: {
                /** @description The name of the tool, with the prefix "dynamic:" of a manifest or without it. */
                tool: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ExportShown"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            422: components["responses"]["UnprocessableEntity"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    rollbackTool: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The name of the tool, with the prefix "dynamic:" of a manifest or without it. */
                tool: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["RollbackToolRequest"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RolledBack"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["RequestEntityTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableEntity"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listVersions: {
        parameters: {
            query?: {
                /** @description Where the list goes on: "next" of the page before. */
                cursor?: string;
                /** @description How many at most. */
                limit?: number;
            };
            header?: never;
            path: {
                /** @description The name of the tool, with the prefix "dynamic:" of a manifest or without it. */
                tool: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VersionList"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            422: components["responses"]["UnprocessableEntity"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    tryTool: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TryGiven"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TryShown"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["RequestEntityTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableEntity"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listGrants: {
        parameters: {
            query?: {
                /** @description Also those that do not hold any more. */
                all?: boolean;
                /** @description Where the list goes on: "next" of the page before. */
                cursor?: string;
                /** @description How many at most. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GrantList"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            422: components["responses"]["UnprocessableEntity"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    revokeGrant: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the grant, or a beginning of it. */
                grant: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GrantShown"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["RequestEntityTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableEntity"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    makeLogin: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LoginMade"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["RequestEntityTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableEntity"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    peer: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Peer"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            422: components["responses"]["UnprocessableEntity"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listRuns: {
        parameters: {
            query?: {
                /** @description Where the list goes on: "next" of the page before. */
                cursor?: string;
                /** @description How many at most. */
                limit?: number;
                /** @description Only those that are not over. */
                open?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunList"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            422: components["responses"]["UnprocessableEntity"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    beginRun: {
        parameters: {
            query?: {
                /** @description The tool that sees plain results and errors. */
                entry?: string;
                /** @description What the run is called in lists. */
                title?: string;
                /** @description For how many seconds to wait for the end. Default: 0. */
                wait?: number;
            };
            header?: {
                /** @description A second run with the same key and the same tasks attaches to the first. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": unknown;
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CallAnswer"];
                };
            };
            /** @description It goes on. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CallAnswer"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["RequestEntityTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableEntity"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getRun: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the run, or a beginning of it. */
                run: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunShown"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            422: components["responses"]["UnprocessableEntity"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    runAgain: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the run, or a beginning of it. */
                run: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["AgainGiven"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AgainShown"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["RequestEntityTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableEntity"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    cancelRun: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the run, or a beginning of it. */
                run: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunShown"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["RequestEntityTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableEntity"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    waitRun: {
        parameters: {
            query?: {
                /** @description For how many seconds to wait. Default: 30. */
                wait?: number;
            };
            header?: never;
            path: {
                /** @description The id of the run, or a beginning of it. */
                run: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CallAnswer"];
                };
            };
            /** @description It goes on. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CallAnswer"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            422: components["responses"]["UnprocessableEntity"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    resumeRun: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the run, or a beginning of it. */
                run: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ResumeGiven"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunShown"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["RequestEntityTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableEntity"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listTasks: {
        parameters: {
            query?: {
                /** @description Where the list goes on: "next" of the page before. */
                cursor?: string;
                /** @description How many at most. */
                limit?: number;
            };
            header?: never;
            path: {
                /** @description The id of the run, or a beginning of it. */
                run: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TaskList"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            422: components["responses"]["UnprocessableEntity"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getTask: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the run, or a beginning of it. */
                run: string;
                /** @description The id of the task, a beginning of it, of 4 characters or more, that no other has, or the path of a step. */
                task: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TaskWhole"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            422: components["responses"]["UnprocessableEntity"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getChain: {
        parameters: {
            query?: {
                /** @description Where the list goes on: "next" of the page before. */
                cursor?: string;
                /** @description How many at most. */
                limit?: number;
            };
            header?: never;
            path: {
                /** @description The id of the run, or a beginning of it. */
                run: string;
                /** @description The id of the task, a beginning of it, of 4 characters or more, that no other has, or the path of a step. */
                task: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChainShown"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            422: components["responses"]["UnprocessableEntity"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listChildren: {
        parameters: {
            query?: {
                /** @description Where the list goes on: "next" of the page before. */
                cursor?: string;
                /** @description How many at most. */
                limit?: number;
            };
            header?: never;
            path: {
                /** @description The id of the run, or a beginning of it. */
                run: string;
                /** @description The id of the task, a beginning of it, of 4 characters or more, that no other has, or the path of a step. */
                task: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChainList"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            422: components["responses"]["UnprocessableEntity"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    search: {
        parameters: {
            query: {
                /** @description How many at most. */
                limit?: number;
                /** @description The words to look for. */
                q: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HitList"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            422: components["responses"]["UnprocessableEntity"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listSecrets: {
        parameters: {
            query?: {
                /** @description Where the list goes on: "next" of the page before. */
                cursor?: string;
                /** @description How many at most. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SecretList"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            422: components["responses"]["UnprocessableEntity"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    setSecret: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The name of the secret. That of a credential is its id. */
                name: string;
                /** @description The tool: an installed one, go:NAME for one of a program in Go, or port:PORT/NAME for one of a port. */
                tool: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SecretGiven"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SecretKept"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["RequestEntityTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableEntity"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    deleteSecret: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The name of the secret. That of a credential is its id. */
                name: string;
                /** @description The tool: an installed one, go:NAME for one of a program in Go, or port:PORT/NAME for one of a port. */
                tool: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SecretForgotten"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["RequestEntityTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableEntity"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getSettings: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SettingsShown"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            422: components["responses"]["UnprocessableEntity"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    putSetting: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description What it is for. */
                kind: "power" | "tool" | "host";
                /** @description The power, tool or host. */
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PutSettingRequest"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SettingsShown"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["RequestEntityTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableEntity"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    deleteSetting: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description What it is for. */
                kind: "power" | "tool" | "host";
                /** @description The power, tool or host. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SettingsShown"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["RequestEntityTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableEntity"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    start: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SettingsShown"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["RequestEntityTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableEntity"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    stop: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SettingsShown"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["RequestEntityTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableEntity"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listTokens: {
        parameters: {
            query?: {
                /** @description Where the list goes on: "next" of the page before. */
                cursor?: string;
                /** @description How many at most. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TokenList"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            422: components["responses"]["UnprocessableEntity"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    addToken: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TokenNew"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TokenMade"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["RequestEntityTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableEntity"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    removeToken: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The name of the program. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TokenRemoved"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["RequestEntityTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableEntity"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listTools: {
        parameters: {
            query?: {
                /** @description Where the list goes on: "next" of the page before. */
                cursor?: string;
                /** @description How many at most. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ToolList"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            422: components["responses"]["UnprocessableEntity"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getTool: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The name of the tool. */
                tool: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ToolShown"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            422: components["responses"]["UnprocessableEntity"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    callTool: {
        parameters: {
            query?: {
                /** @description For how many seconds to wait for the end. What is not over by then goes on: ask for it under /v1/runs. Default: 30. */
                wait?: number;
            };
            header?: {
                /** @description A second call with the same key, of the same tool with the same arguments, attaches to the first. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The name of the tool. */
                tool: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": unknown;
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CallAnswer"];
                };
            };
            /** @description It goes on. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CallAnswer"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["RequestEntityTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableEntity"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    call_http_get: {
        parameters: {
            query?: {
                /** @description For how many seconds to wait for the end. */
                wait?: number;
            };
            header?: {
                /** @description A second call with the same key attaches to the first. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The id of the credential to attach. Without it, the only one that may be sent to the host is. */
                    credential?: string;
                    /** @description Headers by name. */
                    headers?: {
                        [key: string]: string;
                    };
                    /** @description What to add to the query of the address: texts, numbers, true or false, and lists of them. */
                    query?: {
                        [key: string]: unknown;
                    };
                    /** @description The address to read, on a host that the tool has declared. */
                    url: string;
                };
            };
        };
        responses: {
            /** @description The call is over, whatever it came to. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CallAnswer"] & {
                        /** @description What the host answered. Exactly one of json, text and base64 is there. */
                        value?: {
                            /** @description The body, where it is neither. */
                            base64?: string;
                            /** @description The headers of the answer, under names in small letters, without cookies. */
                            headers: {
                                [key: string]: string;
                            };
                            /** @description The body, where the host says that it is JSON and it is. */
                            json?: unknown;
                            /** @description The status, such as 200. 400 and more say that the host refused or failed; the step succeeds all the same. */
                            status: number;
                            /** @description The body, where it is text. */
                            text?: string;
                            /** @description Whether the body was cut because it was too large. */
                            truncated?: boolean;
                        };
                    };
                };
            };
            /** @description The call goes on. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CallAnswer"] & {
                        /** @description What the host answered. Exactly one of json, text and base64 is there. */
                        value?: {
                            /** @description The body, where it is neither. */
                            base64?: string;
                            /** @description The headers of the answer, under names in small letters, without cookies. */
                            headers: {
                                [key: string]: string;
                            };
                            /** @description The body, where the host says that it is JSON and it is. */
                            json?: unknown;
                            /** @description The status, such as 200. 400 and more say that the host refused or failed; the step succeeds all the same. */
                            status: number;
                            /** @description The body, where it is text. */
                            text?: string;
                            /** @description Whether the body was cut because it was too large. */
                            truncated?: boolean;
                        };
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["RequestEntityTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableEntity"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    call_http_post: {
        parameters: {
            query?: {
                /** @description For how many seconds to wait for the end. */
                wait?: number;
            };
            header?: {
                /** @description A second call with the same key attaches to the first. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The id of the credential to attach. Without it, the only one that may be sent to the host is. */
                    credential?: string;
                    /** @description Headers by name. */
                    headers?: {
                        [key: string]: string;
                    };
                    /** @description A value to send as JSON. Not with text. */
                    json?: unknown;
                    /** @description A text to send as it is. Not with json. */
                    text?: string;
                    /** @description The address to send to, on a host that the tool has declared. */
                    url: string;
                };
            };
        };
        responses: {
            /** @description The call is over, whatever it came to. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CallAnswer"] & {
                        /** @description What the host answered. Exactly one of json, text and base64 is there. */
                        value?: {
                            /** @description The body, where it is neither. */
                            base64?: string;
                            /** @description The headers of the answer, under names in small letters, without cookies. */
                            headers: {
                                [key: string]: string;
                            };
                            /** @description The body, where the host says that it is JSON and it is. */
                            json?: unknown;
                            /** @description The status, such as 200. 400 and more say that the host refused or failed; the step succeeds all the same. */
                            status: number;
                            /** @description The body, where it is text. */
                            text?: string;
                            /** @description Whether the body was cut because it was too large. */
                            truncated?: boolean;
                        };
                    };
                };
            };
            /** @description The call goes on. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CallAnswer"] & {
                        /** @description What the host answered. Exactly one of json, text and base64 is there. */
                        value?: {
                            /** @description The body, where it is neither. */
                            base64?: string;
                            /** @description The headers of the answer, under names in small letters, without cookies. */
                            headers: {
                                [key: string]: string;
                            };
                            /** @description The body, where the host says that it is JSON and it is. */
                            json?: unknown;
                            /** @description The status, such as 200. 400 and more say that the host refused or failed; the step succeeds all the same. */
                            status: number;
                            /** @description The body, where it is text. */
                            text?: string;
                            /** @description Whether the body was cut because it was too large. */
                            truncated?: boolean;
                        };
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["RequestEntityTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableEntity"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    call_list: {
        parameters: {
            query?: {
                /** @description For how many seconds to wait for the end. */
                wait?: number;
            };
            header?: {
                /** @description A second call with the same key attaches to the first. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description the items */
                    items: unknown[];
                };
            };
        };
        responses: {
            /** @description The call is over, whatever it came to. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CallAnswer"] & {
                        value?: unknown[];
                    };
                };
            };
            /** @description The call goes on. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CallAnswer"] & {
                        value?: unknown[];
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["RequestEntityTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableEntity"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    call_map: {
        parameters: {
            query?: {
                /** @description For how many seconds to wait for the end. */
                wait?: number;
            };
            header?: {
                /** @description A second call with the same key attaches to the first. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description further arguments, the same for each call */
                    arguments?: Record<string, unknown>;
                    /** @description the argument that an item becomes; without it an item has to be an object and is all arguments */
                    as?: string;
                    /** @description the items; a call for each */
                    items: unknown[];
                    /** @description a tool that is called with {"items": the list of results} */
                    reducer?: string;
                    /** @description the tool to call for each item */
                    tool: string;
                };
            };
        };
        responses: {
            /** @description The call is over, whatever it came to. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CallAnswer"] & {
                        value?: unknown;
                    };
                };
            };
            /** @description The call goes on. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CallAnswer"] & {
                        value?: unknown;
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["RequestEntityTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableEntity"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    call_memory_archive: {
        parameters: {
            query?: {
                /** @description For how many seconds to wait for the end. */
                wait?: number;
            };
            header?: {
                /** @description A second call with the same key attaches to the first. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The id of the memory. */
                    id: string;
                    /** @description The revision that the change to take back gave; if the memory has changed since, nothing is done. */
                    revision?: number;
                };
            };
        };
        responses: {
            /** @description The call is over, whatever it came to. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CallAnswer"] & {
                        /** @description A memory. */
                        value?: {
                            /** @description Whether it has been put away, so that no search finds it. */
                            archived: boolean;
                            /** @description The text of the memory. */
                            content: string;
                            /**
                             * Format: date-time
                             * @description When the memory was made, in UTC.
                             */
                            createdAt: string;
                            /** @description The id of the memory. */
                            id: string;
                            /** @description What sort of memory it is; may be empty. */
                            kind: string;
                            /** @description A number that every change raises. */
                            revision: number;
                            /** @description The title of the memory, 1 to 200 characters. */
                            title: string;
                            /**
                             * Format: date-time
                             * @description When the memory was last changed, in UTC.
                             */
                            updatedAt: string;
                        };
                    };
                };
            };
            /** @description The call goes on. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CallAnswer"] & {
                        /** @description A memory. */
                        value?: {
                            /** @description Whether it has been put away, so that no search finds it. */
                            archived: boolean;
                            /** @description The text of the memory. */
                            content: string;
                            /**
                             * Format: date-time
                             * @description When the memory was made, in UTC.
                             */
                            createdAt: string;
                            /** @description The id of the memory. */
                            id: string;
                            /** @description What sort of memory it is; may be empty. */
                            kind: string;
                            /** @description A number that every change raises. */
                            revision: number;
                            /** @description The title of the memory, 1 to 200 characters. */
                            title: string;
                            /**
                             * Format: date-time
                             * @description When the memory was last changed, in UTC.
                             */
                            updatedAt: string;
                        };
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["RequestEntityTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableEntity"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    call_memory_create: {
        parameters: {
            query?: {
                /** @description For how many seconds to wait for the end. */
                wait?: number;
            };
            header?: {
                /** @description A second call with the same key attaches to the first. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The text of the memory. Any other value, such as a list of tasks, is written down as a readable outline. */
                    content: unknown;
                    /** @description What sort of memory it is, in a word of your choice. */
                    kind?: string;
                    /** @description The title of the memory, 1 to 200 characters. */
                    title: string;
                };
            };
        };
        responses: {
            /** @description The call is over, whatever it came to. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CallAnswer"] & {
                        /** @description A memory. */
                        value?: {
                            /** @description Whether it has been put away, so that no search finds it. */
                            archived: boolean;
                            /** @description The text of the memory. */
                            content: string;
                            /**
                             * Format: date-time
                             * @description When the memory was made, in UTC.
                             */
                            createdAt: string;
                            /** @description The id of the memory. */
                            id: string;
                            /** @description What sort of memory it is; may be empty. */
                            kind: string;
                            /** @description A number that every change raises. */
                            revision: number;
                            /** @description The title of the memory, 1 to 200 characters. */
                            title: string;
                            /**
                             * Format: date-time
                             * @description When the memory was last changed, in UTC.
                             */
                            updatedAt: string;
                        };
                    };
                };
            };
            /** @description The call goes on. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CallAnswer"] & {
                        /** @description A memory. */
                        value?: {
                            /** @description Whether it has been put away, so that no search finds it. */
                            archived: boolean;
                            /** @description The text of the memory. */
                            content: string;
                            /**
                             * Format: date-time
                             * @description When the memory was made, in UTC.
                             */
                            createdAt: string;
                            /** @description The id of the memory. */
                            id: string;
                            /** @description What sort of memory it is; may be empty. */
                            kind: string;
                            /** @description A number that every change raises. */
                            revision: number;
                            /** @description The title of the memory, 1 to 200 characters. */
                            title: string;
                            /**
                             * Format: date-time
                             * @description When the memory was last changed, in UTC.
                             */
                            updatedAt: string;
                        };
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["RequestEntityTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableEntity"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    call_memory_search: {
        parameters: {
            query?: {
                /** @description For how many seconds to wait for the end. */
                wait?: number;
            };
            header?: {
                /** @description A second call with the same key attaches to the first. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description The most records to give.
                     * @default 100
                     */
                    limit?: number;
                    /** @description The words to look for. */
                    query: string;
                };
            };
        };
        responses: {
            /** @description The call is over, whatever it came to. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CallAnswer"] & {
                        /** @description The memories found. */
                        value?: {
                            /** @description Whether it has been put away, so that no search finds it. */
                            archived: boolean;
                            /** @description The text of the memory. */
                            content: string;
                            /**
                             * Format: date-time
                             * @description When the memory was made, in UTC.
                             */
                            createdAt: string;
                            /** @description The id of the memory. */
                            id: string;
                            /** @description What sort of memory it is; may be empty. */
                            kind: string;
                            /** @description A number that every change raises. */
                            revision: number;
                            /** @description The title of the memory, 1 to 200 characters. */
                            title: string;
                            /**
                             * Format: date-time
                             * @description When the memory was last changed, in UTC.
                             */
                            updatedAt: string;
                        }[];
                    };
                };
            };
            /** @description The call goes on. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CallAnswer"] & {
                        /** @description The memories found. */
                        value?: {
                            /** @description Whether it has been put away, so that no search finds it. */
                            archived: boolean;
                            /** @description The text of the memory. */
                            content: string;
                            /**
                             * Format: date-time
                             * @description When the memory was made, in UTC.
                             */
                            createdAt: string;
                            /** @description The id of the memory. */
                            id: string;
                            /** @description What sort of memory it is; may be empty. */
                            kind: string;
                            /** @description A number that every change raises. */
                            revision: number;
                            /** @description The title of the memory, 1 to 200 characters. */
                            title: string;
                            /**
                             * Format: date-time
                             * @description When the memory was last changed, in UTC.
                             */
                            updatedAt: string;
                        }[];
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["RequestEntityTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableEntity"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    call_notes_create: {
        parameters: {
            query?: {
                /** @description For how many seconds to wait for the end. */
                wait?: number;
            };
            header?: {
                /** @description A second call with the same key attaches to the first. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The text of the note. Any other value, such as a list of tasks, is written down as a readable outline. */
                    content: unknown;
                    /** @description The title of the note, 1 to 200 characters. */
                    title: string;
                };
            };
        };
        responses: {
            /** @description The call is over, whatever it came to. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CallAnswer"] & {
                        /** @description A note. */
                        value?: {
                            /** @description The text of the note. */
                            content: string;
                            /**
                             * Format: date-time
                             * @description When the note was made, in UTC.
                             */
                            createdAt: string;
                            /** @description The id of the note. */
                            id: string;
                            /** @description A number that every change raises. */
                            revision: number;
                            /** @description The title of the note, 1 to 200 characters. */
                            title: string;
                            /**
                             * Format: date-time
                             * @description When the note was last changed, in UTC.
                             */
                            updatedAt: string;
                        };
                    };
                };
            };
            /** @description The call goes on. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CallAnswer"] & {
                        /** @description A note. */
                        value?: {
                            /** @description The text of the note. */
                            content: string;
                            /**
                             * Format: date-time
                             * @description When the note was made, in UTC.
                             */
                            createdAt: string;
                            /** @description The id of the note. */
                            id: string;
                            /** @description A number that every change raises. */
                            revision: number;
                            /** @description The title of the note, 1 to 200 characters. */
                            title: string;
                            /**
                             * Format: date-time
                             * @description When the note was last changed, in UTC.
                             */
                            updatedAt: string;
                        };
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["RequestEntityTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableEntity"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    call_notes_delete: {
        parameters: {
            query?: {
                /** @description For how many seconds to wait for the end. */
                wait?: number;
            };
            header?: {
                /** @description A second call with the same key attaches to the first. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The id of the note. */
                    id: string;
                    /** @description The revision that the change to take back gave; if the note has changed since, nothing is done. */
                    revision?: number;
                };
            };
        };
        responses: {
            /** @description The call is over, whatever it came to. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CallAnswer"] & {
                        /** @description A note. */
                        value?: {
                            /** @description The text of the note. */
                            content: string;
                            /**
                             * Format: date-time
                             * @description When the note was made, in UTC.
                             */
                            createdAt: string;
                            /** @description The id of the note. */
                            id: string;
                            /** @description A number that every change raises. */
                            revision: number;
                            /** @description The title of the note, 1 to 200 characters. */
                            title: string;
                            /**
                             * Format: date-time
                             * @description When the note was last changed, in UTC.
                             */
                            updatedAt: string;
                        };
                    };
                };
            };
            /** @description The call goes on. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CallAnswer"] & {
                        /** @description A note. */
                        value?: {
                            /** @description The text of the note. */
                            content: string;
                            /**
                             * Format: date-time
                             * @description When the note was made, in UTC.
                             */
                            createdAt: string;
                            /** @description The id of the note. */
                            id: string;
                            /** @description A number that every change raises. */
                            revision: number;
                            /** @description The title of the note, 1 to 200 characters. */
                            title: string;
                            /**
                             * Format: date-time
                             * @description When the note was last changed, in UTC.
                             */
                            updatedAt: string;
                        };
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["RequestEntityTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableEntity"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    call_notes_list: {
        parameters: {
            query?: {
                /** @description For how many seconds to wait for the end. */
                wait?: number;
            };
            header?: {
                /** @description A second call with the same key attaches to the first. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The id of the last record already seen: the list goes on after it. */
                    cursor?: string;
                    /**
                     * @description The most records to give.
                     * @default 100
                     */
                    limit?: number;
                    /** @description Only notes with this text in their title or content. */
                    query?: string;
                };
            };
        };
        responses: {
            /** @description The call is over, whatever it came to. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CallAnswer"] & {
                        /** @description The notes found. */
                        value?: {
                            /** @description The text of the note. */
                            content: string;
                            /**
                             * Format: date-time
                             * @description When the note was made, in UTC.
                             */
                            createdAt: string;
                            /** @description The id of the note. */
                            id: string;
                            /** @description A number that every change raises. */
                            revision: number;
                            /** @description The title of the note, 1 to 200 characters. */
                            title: string;
                            /**
                             * Format: date-time
                             * @description When the note was last changed, in UTC.
                             */
                            updatedAt: string;
                        }[];
                    };
                };
            };
            /** @description The call goes on. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CallAnswer"] & {
                        /** @description The notes found. */
                        value?: {
                            /** @description The text of the note. */
                            content: string;
                            /**
                             * Format: date-time
                             * @description When the note was made, in UTC.
                             */
                            createdAt: string;
                            /** @description The id of the note. */
                            id: string;
                            /** @description A number that every change raises. */
                            revision: number;
                            /** @description The title of the note, 1 to 200 characters. */
                            title: string;
                            /**
                             * Format: date-time
                             * @description When the note was last changed, in UTC.
                             */
                            updatedAt: string;
                        }[];
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["RequestEntityTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableEntity"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    call_notes_restore: {
        parameters: {
            query?: {
                /** @description For how many seconds to wait for the end. */
                wait?: number;
            };
            header?: {
                /** @description A second call with the same key attaches to the first. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The id of the note. */
                    id: string;
                    /** @description The revision that the change to take back gave; if the note has changed since, nothing is done. */
                    revision?: number;
                };
            };
        };
        responses: {
            /** @description The call is over, whatever it came to. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CallAnswer"] & {
                        /** @description A note. */
                        value?: {
                            /** @description The text of the note. */
                            content: string;
                            /**
                             * Format: date-time
                             * @description When the note was made, in UTC.
                             */
                            createdAt: string;
                            /** @description The id of the note. */
                            id: string;
                            /** @description A number that every change raises. */
                            revision: number;
                            /** @description The title of the note, 1 to 200 characters. */
                            title: string;
                            /**
                             * Format: date-time
                             * @description When the note was last changed, in UTC.
                             */
                            updatedAt: string;
                        };
                    };
                };
            };
            /** @description The call goes on. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CallAnswer"] & {
                        /** @description A note. */
                        value?: {
                            /** @description The text of the note. */
                            content: string;
                            /**
                             * Format: date-time
                             * @description When the note was made, in UTC.
                             */
                            createdAt: string;
                            /** @description The id of the note. */
                            id: string;
                            /** @description A number that every change raises. */
                            revision: number;
                            /** @description The title of the note, 1 to 200 characters. */
                            title: string;
                            /**
                             * Format: date-time
                             * @description When the note was last changed, in UTC.
                             */
                            updatedAt: string;
                        };
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["RequestEntityTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableEntity"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    call_notes_update: {
        parameters: {
            query?: {
                /** @description For how many seconds to wait for the end. */
                wait?: number;
            };
            header?: {
                /** @description A second call with the same key attaches to the first. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The text of the note. Any other value, such as a list of tasks, is written down as a readable outline. */
                    content?: unknown;
                    /** @description The id of the note. */
                    id: string;
                    /** @description The title of the note, 1 to 200 characters. */
                    title?: string;
                };
            };
        };
        responses: {
            /** @description The call is over, whatever it came to. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CallAnswer"] & {
                        /** @description A note. */
                        value?: {
                            /** @description The text of the note. */
                            content: string;
                            /**
                             * Format: date-time
                             * @description When the note was made, in UTC.
                             */
                            createdAt: string;
                            /** @description The id of the note. */
                            id: string;
                            /** @description A number that every change raises. */
                            revision: number;
                            /** @description The title of the note, 1 to 200 characters. */
                            title: string;
                            /**
                             * Format: date-time
                             * @description When the note was last changed, in UTC.
                             */
                            updatedAt: string;
                        };
                    };
                };
            };
            /** @description The call goes on. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CallAnswer"] & {
                        /** @description A note. */
                        value?: {
                            /** @description The text of the note. */
                            content: string;
                            /**
                             * Format: date-time
                             * @description When the note was made, in UTC.
                             */
                            createdAt: string;
                            /** @description The id of the note. */
                            id: string;
                            /** @description A number that every change raises. */
                            revision: number;
                            /** @description The title of the note, 1 to 200 characters. */
                            title: string;
                            /**
                             * Format: date-time
                             * @description When the note was last changed, in UTC.
                             */
                            updatedAt: string;
                        };
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["RequestEntityTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableEntity"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    call_tasks_create: {
        parameters: {
            query?: {
                /** @description For how many seconds to wait for the end. */
                wait?: number;
            };
            header?: {
                /** @description A second call with the same key attaches to the first. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description What the task is about. */
                    description?: string;
                    /**
                     * Format: date-time
                     * @description When the task is due: a time with a zone, such as 2026-11-27T17:00:00Z.
                     */
                    dueAt?: string;
                    /**
                     * @description How much the task matters.
                     * @default normal
                     * @enum {string}
                     */
                    priority?: "low" | "normal" | "high";
                    /**
                     * @description How far the task is.
                     * @default todo
                     * @enum {string}
                     */
                    status?: "todo" | "doing" | "done";
                    /** @description The title of the task, 1 to 200 characters. */
                    title: string;
                };
            };
        };
        responses: {
            /** @description The call is over, whatever it came to. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CallAnswer"] & {
                        /** @description A task. */
                        value?: {
                            /**
                             * Format: date-time
                             * @description When the task was made, in UTC.
                             */
                            createdAt: string;
                            /** @description What the task is about; may be empty. */
                            description: string;
                            /**
                             * Format: date-time
                             * @description When the task is due, in UTC; left out when it is not due at any time.
                             */
                            dueAt?: string;
                            /** @description The id of the task. */
                            id: string;
                            /**
                             * @description How much the task matters.
                             * @enum {string}
                             */
                            priority: "low" | "normal" | "high";
                            /** @description A number that every change raises. */
                            revision: number;
                            /**
                             * @description How far the task is.
                             * @enum {string}
                             */
                            status: "todo" | "doing" | "done";
                            /** @description The title of the task, 1 to 200 characters. */
                            title: string;
                            /**
                             * Format: date-time
                             * @description When the task was last changed, in UTC.
                             */
                            updatedAt: string;
                        };
                    };
                };
            };
            /** @description The call goes on. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CallAnswer"] & {
                        /** @description A task. */
                        value?: {
                            /**
                             * Format: date-time
                             * @description When the task was made, in UTC.
                             */
                            createdAt: string;
                            /** @description What the task is about; may be empty. */
                            description: string;
                            /**
                             * Format: date-time
                             * @description When the task is due, in UTC; left out when it is not due at any time.
                             */
                            dueAt?: string;
                            /** @description The id of the task. */
                            id: string;
                            /**
                             * @description How much the task matters.
                             * @enum {string}
                             */
                            priority: "low" | "normal" | "high";
                            /** @description A number that every change raises. */
                            revision: number;
                            /**
                             * @description How far the task is.
                             * @enum {string}
                             */
                            status: "todo" | "doing" | "done";
                            /** @description The title of the task, 1 to 200 characters. */
                            title: string;
                            /**
                             * Format: date-time
                             * @description When the task was last changed, in UTC.
                             */
                            updatedAt: string;
                        };
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["RequestEntityTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableEntity"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    call_tasks_delete: {
        parameters: {
            query?: {
                /** @description For how many seconds to wait for the end. */
                wait?: number;
            };
            header?: {
                /** @description A second call with the same key attaches to the first. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The id of the task. */
                    id: string;
                    /** @description The revision that the change to take back gave; if the task has changed since, nothing is done. */
                    revision?: number;
                };
            };
        };
        responses: {
            /** @description The call is over, whatever it came to. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CallAnswer"] & {
                        /** @description A task. */
                        value?: {
                            /**
                             * Format: date-time
                             * @description When the task was made, in UTC.
                             */
                            createdAt: string;
                            /** @description What the task is about; may be empty. */
                            description: string;
                            /**
                             * Format: date-time
                             * @description When the task is due, in UTC; left out when it is not due at any time.
                             */
                            dueAt?: string;
                            /** @description The id of the task. */
                            id: string;
                            /**
                             * @description How much the task matters.
                             * @enum {string}
                             */
                            priority: "low" | "normal" | "high";
                            /** @description A number that every change raises. */
                            revision: number;
                            /**
                             * @description How far the task is.
                             * @enum {string}
                             */
                            status: "todo" | "doing" | "done";
                            /** @description The title of the task, 1 to 200 characters. */
                            title: string;
                            /**
                             * Format: date-time
                             * @description When the task was last changed, in UTC.
                             */
                            updatedAt: string;
                        };
                    };
                };
            };
            /** @description The call goes on. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CallAnswer"] & {
                        /** @description A task. */
                        value?: {
                            /**
                             * Format: date-time
                             * @description When the task was made, in UTC.
                             */
                            createdAt: string;
                            /** @description What the task is about; may be empty. */
                            description: string;
                            /**
                             * Format: date-time
                             * @description When the task is due, in UTC; left out when it is not due at any time.
                             */
                            dueAt?: string;
                            /** @description The id of the task. */
                            id: string;
                            /**
                             * @description How much the task matters.
                             * @enum {string}
                             */
                            priority: "low" | "normal" | "high";
                            /** @description A number that every change raises. */
                            revision: number;
                            /**
                             * @description How far the task is.
                             * @enum {string}
                             */
                            status: "todo" | "doing" | "done";
                            /** @description The title of the task, 1 to 200 characters. */
                            title: string;
                            /**
                             * Format: date-time
                             * @description When the task was last changed, in UTC.
                             */
                            updatedAt: string;
                        };
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["RequestEntityTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableEntity"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    call_tasks_list: {
        parameters: {
            query?: {
                /** @description For how many seconds to wait for the end. */
                wait?: number;
            };
            header?: {
                /** @description A second call with the same key attaches to the first. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The id of the last record already seen: the list goes on after it. */
                    cursor?: string;
                    /**
                     * @description The most records to give.
                     * @default 100
                     */
                    limit?: number;
                    /** @description Only tasks with this text in their title or description. */
                    query?: string;
                    /**
                     * @description Only tasks with this status.
                     * @enum {string}
                     */
                    status?: "todo" | "doing" | "done";
                };
            };
        };
        responses: {
            /** @description The call is over, whatever it came to. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CallAnswer"] & {
                        /** @description The tasks found. */
                        value?: {
                            /**
                             * Format: date-time
                             * @description When the task was made, in UTC.
                             */
                            createdAt: string;
                            /** @description What the task is about; may be empty. */
                            description: string;
                            /**
                             * Format: date-time
                             * @description When the task is due, in UTC; left out when it is not due at any time.
                             */
                            dueAt?: string;
                            /** @description The id of the task. */
                            id: string;
                            /**
                             * @description How much the task matters.
                             * @enum {string}
                             */
                            priority: "low" | "normal" | "high";
                            /** @description A number that every change raises. */
                            revision: number;
                            /**
                             * @description How far the task is.
                             * @enum {string}
                             */
                            status: "todo" | "doing" | "done";
                            /** @description The title of the task, 1 to 200 characters. */
                            title: string;
                            /**
                             * Format: date-time
                             * @description When the task was last changed, in UTC.
                             */
                            updatedAt: string;
                        }[];
                    };
                };
            };
            /** @description The call goes on. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CallAnswer"] & {
                        /** @description The tasks found. */
                        value?: {
                            /**
                             * Format: date-time
                             * @description When the task was made, in UTC.
                             */
                            createdAt: string;
                            /** @description What the task is about; may be empty. */
                            description: string;
                            /**
                             * Format: date-time
                             * @description When the task is due, in UTC; left out when it is not due at any time.
                             */
                            dueAt?: string;
                            /** @description The id of the task. */
                            id: string;
                            /**
                             * @description How much the task matters.
                             * @enum {string}
                             */
                            priority: "low" | "normal" | "high";
                            /** @description A number that every change raises. */
                            revision: number;
                            /**
                             * @description How far the task is.
                             * @enum {string}
                             */
                            status: "todo" | "doing" | "done";
                            /** @description The title of the task, 1 to 200 characters. */
                            title: string;
                            /**
                             * Format: date-time
                             * @description When the task was last changed, in UTC.
                             */
                            updatedAt: string;
                        }[];
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["RequestEntityTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableEntity"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    call_tasks_restore: {
        parameters: {
            query?: {
                /** @description For how many seconds to wait for the end. */
                wait?: number;
            };
            header?: {
                /** @description A second call with the same key attaches to the first. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The id of the task. */
                    id: string;
                    /** @description The revision that the change to take back gave; if the task has changed since, nothing is done. */
                    revision?: number;
                };
            };
        };
        responses: {
            /** @description The call is over, whatever it came to. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CallAnswer"] & {
                        /** @description A task. */
                        value?: {
                            /**
                             * Format: date-time
                             * @description When the task was made, in UTC.
                             */
                            createdAt: string;
                            /** @description What the task is about; may be empty. */
                            description: string;
                            /**
                             * Format: date-time
                             * @description When the task is due, in UTC; left out when it is not due at any time.
                             */
                            dueAt?: string;
                            /** @description The id of the task. */
                            id: string;
                            /**
                             * @description How much the task matters.
                             * @enum {string}
                             */
                            priority: "low" | "normal" | "high";
                            /** @description A number that every change raises. */
                            revision: number;
                            /**
                             * @description How far the task is.
                             * @enum {string}
                             */
                            status: "todo" | "doing" | "done";
                            /** @description The title of the task, 1 to 200 characters. */
                            title: string;
                            /**
                             * Format: date-time
                             * @description When the task was last changed, in UTC.
                             */
                            updatedAt: string;
                        };
                    };
                };
            };
            /** @description The call goes on. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CallAnswer"] & {
                        /** @description A task. */
                        value?: {
                            /**
                             * Format: date-time
                             * @description When the task was made, in UTC.
                             */
                            createdAt: string;
                            /** @description What the task is about; may be empty. */
                            description: string;
                            /**
                             * Format: date-time
                             * @description When the task is due, in UTC; left out when it is not due at any time.
                             */
                            dueAt?: string;
                            /** @description The id of the task. */
                            id: string;
                            /**
                             * @description How much the task matters.
                             * @enum {string}
                             */
                            priority: "low" | "normal" | "high";
                            /** @description A number that every change raises. */
                            revision: number;
                            /**
                             * @description How far the task is.
                             * @enum {string}
                             */
                            status: "todo" | "doing" | "done";
                            /** @description The title of the task, 1 to 200 characters. */
                            title: string;
                            /**
                             * Format: date-time
                             * @description When the task was last changed, in UTC.
                             */
                            updatedAt: string;
                        };
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["RequestEntityTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableEntity"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    call_tasks_setStatus: {
        parameters: {
            query?: {
                /** @description For how many seconds to wait for the end. */
                wait?: number;
            };
            header?: {
                /** @description A second call with the same key attaches to the first. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The id of the task. */
                    id: string;
                    /**
                     * @description The new status.
                     * @enum {string}
                     */
                    status: "todo" | "doing" | "done";
                };
            };
        };
        responses: {
            /** @description The call is over, whatever it came to. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CallAnswer"] & {
                        /** @description A task. */
                        value?: {
                            /**
                             * Format: date-time
                             * @description When the task was made, in UTC.
                             */
                            createdAt: string;
                            /** @description What the task is about; may be empty. */
                            description: string;
                            /**
                             * Format: date-time
                             * @description When the task is due, in UTC; left out when it is not due at any time.
                             */
                            dueAt?: string;
                            /** @description The id of the task. */
                            id: string;
                            /**
                             * @description How much the task matters.
                             * @enum {string}
                             */
                            priority: "low" | "normal" | "high";
                            /** @description A number that every change raises. */
                            revision: number;
                            /**
                             * @description How far the task is.
                             * @enum {string}
                             */
                            status: "todo" | "doing" | "done";
                            /** @description The title of the task, 1 to 200 characters. */
                            title: string;
                            /**
                             * Format: date-time
                             * @description When the task was last changed, in UTC.
                             */
                            updatedAt: string;
                        };
                    };
                };
            };
            /** @description The call goes on. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CallAnswer"] & {
                        /** @description A task. */
                        value?: {
                            /**
                             * Format: date-time
                             * @description When the task was made, in UTC.
                             */
                            createdAt: string;
                            /** @description What the task is about; may be empty. */
                            description: string;
                            /**
                             * Format: date-time
                             * @description When the task is due, in UTC; left out when it is not due at any time.
                             */
                            dueAt?: string;
                            /** @description The id of the task. */
                            id: string;
                            /**
                             * @description How much the task matters.
                             * @enum {string}
                             */
                            priority: "low" | "normal" | "high";
                            /** @description A number that every change raises. */
                            revision: number;
                            /**
                             * @description How far the task is.
                             * @enum {string}
                             */
                            status: "todo" | "doing" | "done";
                            /** @description The title of the task, 1 to 200 characters. */
                            title: string;
                            /**
                             * Format: date-time
                             * @description When the task was last changed, in UTC.
                             */
                            updatedAt: string;
                        };
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["RequestEntityTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableEntity"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    call_wait: {
        parameters: {
            query?: {
                /** @description For how many seconds to wait for the end. */
                wait?: number;
            };
            header?: {
                /** @description A second call with the same key attaches to the first. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description how long to wait, in seconds, counted from the beginning of the call */
                    seconds?: number;
                    /** @description until when to wait: a time with its zone, such as 2026-11-30T16:00:00Z */
                    until?: string;
                };
            };
        };
        responses: {
            /** @description The call is over, whatever it came to. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CallAnswer"] & {
                        value?: {
                            /** @description when the wait ended, in UTC */
                            endedAt: string;
                        };
                    };
                };
            };
            /** @description The call goes on. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CallAnswer"] & {
                        value?: {
                            /** @description when the wait ended, in UTC */
                            endedAt: string;
                        };
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["RequestEntityTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableEntity"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
}
