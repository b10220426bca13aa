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
            reason?: string;
            /** Format: date-time */
            until?: string;
            who: string;
        };
        AnswerGiven: {
            /** @description Yes or no. */
            allow: boolean;
            /** @description Other arguments than those that were proposed. */
            arguments?: unknown;
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
        };
        AuditShown: {
            /** @description What was done. */
            action: string;
            /**
             * Format: date-time
             * @description When.
             */
            at: string;
            /** @description More of it. */
            detail?: string;
            /** @description From where. */
            from?: string;
            /**
             * Format: int64
             * @description Its number.
             */
            seq: number;
            /** @description To which tool. */
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
        CallError: {
            /** @description The code. */
            code: string;
            /** @description What is wrong, and what to do. */
            message: string;
        };
        Condition: {
            operator: string;
            path: string;
            value: unknown;
        };
        ConsentList: {
            /** @description The questions, the newest first. */
            consents: components["schemas"]["Question"][];
            /** @description The cursor of the next page; there is none after the last. */
            next?: string;
        };
        ErrorDetail: {
            /** @description Where the error occurred, e.g. 'body.items[3].tags' or 'path.thing-id' */
            location?: string;
            /** @description Error message text */
            message?: string;
            /** @description The value at the given location */
            value?: unknown;
        };
        ErrorModel: components["schemas"]["Problem"];
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
            /** @description The new revision of the OpenAPI document. */
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
        Fault: {
            /** @description Its code. */
            code?: string;
            /** @description The path of what is at fault. */
            field: string;
            /** @description What is wrong with it. */
            message: string;
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
        "PortMessage-declaration": {
            /** @description The context methods that the host has for this tool; no other is answered. */
            context?: components["schemas"]["PortMessage-method"][];
            description: string;
            /** @description A hint: shown, never trusted. */
            idempotent?: boolean;
            longDescription?: string;
            name: components["schemas"]["PortMessage-toolName"];
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
        "PortMessage-fault": {
            code: string;
            details?: unknown;
            /** @description The path of the value at fault, such as $.path. */
            field?: string;
            /** @description For people. */
            message: string;
        };
        "PortMessage-fromHost": components["schemas"]["PortMessage-host-hello"] | components["schemas"]["PortMessage-host-register"] | components["schemas"]["PortMessage-host-unregister"] | components["schemas"]["PortMessage-host-progress"] | components["schemas"]["PortMessage-host-result"] | components["schemas"]["PortMessage-host-error"] | components["schemas"]["PortMessage-host-context"] | components["schemas"]["PortMessage-host-call"] | components["schemas"]["PortMessage-host-cancel"] | components["schemas"]["PortMessage-host-ping"];
        "PortMessage-fromServer": components["schemas"]["PortMessage-server-hello"] | components["schemas"]["PortMessage-server-registered"] | components["schemas"]["PortMessage-server-unregistered"] | components["schemas"]["PortMessage-server-call"] | components["schemas"]["PortMessage-server-cancel"] | components["schemas"]["PortMessage-server-context"] | components["schemas"]["PortMessage-server-progress"] | components["schemas"]["PortMessage-server-result"] | components["schemas"]["PortMessage-server-error"] | components["schemas"]["PortMessage-server-pong"];
        /** @description Calls a tool of the server, as a run. deadline counts from now; taskId is the task of a call under way on this port. */
        "PortMessage-host-call": {
            arguments?: Record<string, unknown>;
            deadline?: components["schemas"]["PortMessage-milliseconds"];
            id: components["schemas"]["PortMessage-id"];
            key?: string;
            taskId?: string;
            title?: string;
            tool: string;
            /** @constant */
            type: "call";
        };
        /** @description A call of the host is not wanted any more. */
        "PortMessage-host-cancel": {
            id: components["schemas"]["PortMessage-id"];
            /** @constant */
            type: "cancel";
        };
        /** @description Asks for a context method during a call of the server. */
        "PortMessage-host-context": {
            arguments?: Record<string, unknown>;
            call: components["schemas"]["PortMessage-id"];
            id: components["schemas"]["PortMessage-id"];
            method: components["schemas"]["PortMessage-method"];
            /** @constant */
            type: "context";
        };
        /** @description A call of the server has failed. */
        "PortMessage-host-error": {
            call: components["schemas"]["PortMessage-id"];
            error: components["schemas"]["PortMessage-fault"];
            /** @constant */
            type: "error";
        };
        /** @description The first message of a host. token is for where no header can carry it. */
        "PortMessage-host-hello": {
            name: components["schemas"]["PortMessage-portName"];
            protocol: number;
            token?: string;
            /** @constant */
            type: "hello";
            version?: string;
        };
        /** @description Is answered with pong. */
        "PortMessage-host-ping": {
            id: components["schemas"]["PortMessage-id"];
            /** @constant */
            type: "ping";
        };
        /** @description How far a call of the server has come. */
        "PortMessage-host-progress": {
            call: components["schemas"]["PortMessage-id"];
            done: number;
            note?: string;
            total: number;
            /** @constant */
            type: "progress";
        };
        /** @description Supplies a tool, or replaces one of the same name on this port. */
        "PortMessage-host-register": {
            id: components["schemas"]["PortMessage-id"];
            tool: components["schemas"]["PortMessage-declaration"];
            /** @constant */
            type: "register";
        };
        /** @description What a call of the server came to: a value, or subtasks. */
        "PortMessage-host-result": {
            call: components["schemas"]["PortMessage-id"];
            subtasks?: Record<string, unknown>[][];
            /** @constant */
            type: "result";
            value?: unknown;
        } & (unknown | unknown);
        /** @description Takes a tool away. Calls under way go on. */
        "PortMessage-host-unregister": {
            id: components["schemas"]["PortMessage-id"];
            name: components["schemas"]["PortMessage-toolName"];
            /** @constant */
            type: "unregister";
        };
        /** @description Chosen by who asks, unique among that side's open requests. */
        "PortMessage-id": string;
        "PortMessage-method": string;
        "PortMessage-milliseconds": number;
        "PortMessage-portName": string;
        /** @description Calls a tool of the host. deadline counts from now. */
        "PortMessage-server-call": {
            arguments: Record<string, unknown>;
            caller?: string;
            deadline: components["schemas"]["PortMessage-milliseconds"];
            id: components["schemas"]["PortMessage-id"];
            runId?: string;
            taskId?: string;
            tool: components["schemas"]["PortMessage-toolName"];
            /** @constant */
            type: "call";
        };
        /** @description A call of the server is not wanted any more; whatever it still gives is ignored. */
        "PortMessage-server-cancel": {
            call: components["schemas"]["PortMessage-id"];
            reason?: string;
            /** @constant */
            type: "cancel";
        };
        /** @description What a context method gave. */
        "PortMessage-server-context": {
            id: components["schemas"]["PortMessage-id"];
            /** @constant */
            type: "context";
            value: unknown;
        };
        /** @description What was asked for under the id has failed; without an id, a message could not be understood. */
        "PortMessage-server-error": {
            error: components["schemas"]["PortMessage-fault"];
            id?: components["schemas"]["PortMessage-id"];
            runId?: string;
            /** @constant */
            type: "error";
        };
        /** @description The answer to the hello of a host. */
        "PortMessage-server-hello": {
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
        "PortMessage-server-pong": {
            id: components["schemas"]["PortMessage-id"];
            /** @constant */
            type: "pong";
        };
        /** @description How far a call of the host has come. */
        "PortMessage-server-progress": {
            done: number;
            id: components["schemas"]["PortMessage-id"];
            note?: string;
            total: number;
            /** @constant */
            type: "progress";
        };
        /** @description A tool is registered. */
        "PortMessage-server-registered": {
            id: components["schemas"]["PortMessage-id"];
            name: components["schemas"]["PortMessage-toolName"];
            /** @constant */
            type: "registered";
        };
        /** @description What a call of the host came to. */
        "PortMessage-server-result": {
            id: components["schemas"]["PortMessage-id"];
            runId?: string;
            /** @constant */
            type: "result";
            value: unknown;
        };
        /** @description A tool was taken away. */
        "PortMessage-server-unregistered": {
            id: components["schemas"]["PortMessage-id"];
            /** @constant */
            type: "unregistered";
        };
        "PortMessage-toolName": string;
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
            /** Format: int64 */
            count: number;
            description: string;
            /** Format: date-time */
            expiresAt: string;
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
            /** @description Whose it is. */
            namespace: string;
            /** @description Whether it can be opened here. */
            readable: boolean;
            /**
             * Format: date-time
             * @description When it was set.
             */
            setAt: string;
            /** @description By whom. */
            setBy: string;
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
    };
    responses: never;
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
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorModel"];
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
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorModel"];
                };
            };
        };
    };
    listAudit: {
        parameters: {
            query?: {
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
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorModel"];
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
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorModel"];
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
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorModel"];
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
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorModel"];
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
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorModel"];
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
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorModel"];
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
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorModel"];
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
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorModel"];
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
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorModel"];
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
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorModel"];
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
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorModel"];
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
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorModel"];
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
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorModel"];
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
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorModel"];
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
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorModel"];
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
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorModel"];
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
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorModel"];
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
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorModel"];
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
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorModel"];
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
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorModel"];
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
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorModel"];
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
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorModel"];
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
