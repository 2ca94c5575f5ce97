/** Owns the manifest that `holdfast init` writes: every section is explained, it loads without problems, and each of its tools fails in a way from which a turn
 * recovers. */

/** A file to write beside the manifest. */
export interface StarterFile {
  /** Relative to the manifest's folder. */
  readonly path: string;
  /** Content of the file. */
  readonly text: string;
}

/** A manifest to start from, with the files that it needs. */
export interface CommentedManifest {
  /** `holdfast.yaml`. */
  readonly text: string;
  /** The files that the manifest refers to. */
  readonly files: readonly StarterFile[];
}

const module = `/**
 * A tool is a function: (args, context) => output. It may throw: the result of the call then says what happened.
 * These tools fail on purpose, each in another way.
 */
const failure = (message, fields) => Object.assign(new Error(message), fields);

let searches = 0;

/** Busy at first: fails with HTTP 503, and answers when it is asked again. */
export async function searchFlights({ from, to }, context) {
  searches += 1;
  if (searches === 1) throw failure("The flight service is busy.", { status: 503 });
  context.reportProgress({ message: "searching" });
  context.signal.throwIfAborted(); // the time limit has passed, or the caller has cancelled
  return { offers: [{ flight: "HF 101", from, to, price: 180 }] };
}

/** Down: every connection is refused. */
export async function searchHotels() {
  throw failure("connect ECONNREFUSED 127.0.0.1:9", { code: "ECONNREFUSED" });
}

/** Another provider with the same answer. */
export async function searchHotelsElsewhere({ city }) {
  return { hotels: [{ name: "Pensão Central", city, price: 95 }] };
}

/** The message is sent, but the connection breaks before the answer arrives. */
export async function sendConfirmation({ flight }) {
  throw failure(\`socket hang up while confirming \${flight}\`, { code: "ECONNRESET" });
}
`;

const text = `# yaml-language-server: $schema=./node_modules/@holdfast/manifest/schema/holdfast.schema.json
# Your tools and their settings. Check it with: holdfast check
version: 1

# The default settings. adaptive retries and waits only where that does no harm; spec and service have fixed numbers.
profile: adaptive

# Makes the jitter reproducible.
# seed: my-seed

# Settings of all tools; each tool can override them. What is not set comes from the profile.
# defaults:
#   timeout_ms: 30000 # one attempt
#   retry_policy: { max_attempts: 5, initial_delay_ms: 100, max_delay_ms: 800 }
#   circuit_breaker: { failure_threshold: 5, open_ms: 30000 } # or false
#   concurrency: { limit: 4, queue: 100 }
#   rate_limit: { limit: 10, window_ms: 1000 }
#   wait_for_recovery: { max_wait_ms: 60000 } # instead of failing while the circuit is open; or false

# A turn is a set of calls. At the deadline, completed results are returned.
turn:
  timeout_ms: 60000
  # concurrency: 16
  # on_deadline: detach # tools still running finish in the background; or abort

# Where the trace is stored; metrics, alerts and replays are computed from it. false: in memory only.
store:
  path: .holdfast/trace.db
  # durability: fsync # survives a power cut
  # retention_days: 30
  # max_bytes: 1073741824 # above it, the oldest turns are deleted

# Which call data the trace contains (always redacted): none, arguments or all.
capture: all

# Additional secrets: names of environment variables, or regular expressions.
# redact: [MY_API_KEY, 'customer-\\d+']

# MCP servers, started at their first call.
# mcp_servers:
#   files: { command: npx, args: ['-y', '@modelcontextprotocol/server-filesystem', '.'] }
#   remote: { url: 'https://mcp.example.com/mcp', headers: { authorization: { env: MCP_TOKEN, prefix: 'Bearer ' } } }

# holdfast serve watches for failing and slow tools, open circuits and broken answers, and notifies the receivers below.
# alerts:
#   rules: { failure_rate: 0.05, execution_time_ms: 5000 }
#   receivers: [{ name: chat, kind: slack, url: { env: SLACK_WEBHOOK_URL } }]

# Rules that allow, deny or prefer a strategy (retry, use_alternative, use_default, accept_partial).
# recovery_rules:
#   - { name: no-backup-at-night, when: { tool: hotel_search }, deny: use_alternative, reason: The backup is closed at night. }

tools:
  - id: flight_search
    description: Searches flights between two airports.
    # Exactly one way to run it:
    run: { module: ./tools.mjs, export: searchFlights }
    # run: { worker: { module: ./tools.mjs, export: searchFlights } } # a thread, ended at the time limit
    # run: { command: { command: ./search.sh } }                      # a program: arguments as JSON on stdin, output on stdout
    # run: { http: { url: 'https://api.example.com/flights' } }       # a request; strings may contain {{arguments.from}}
    # run: { mcp: { server: files, tool: read_file } }                # a tool of an MCP server
    effect: read # changes nothing, so it can be repeated
    input_schema:
      type: object
      properties:
        from: { type: string, pattern: '^[A-Z]{3}$', description: Airport code such as OSL. }
        to: { type: string, pattern: '^[A-Z]{3}$' }
      required: [from]
      additionalProperties: false
    # output_schema: an output that violates it is a permanent failure
    # fallback: { offers: [] }                  # the output when all attempts and alternatives failed
    # classification: [{ status: 503, as: permanent }]

  - id: hotel_search
    description: Searches hotels in a city.
    run: { module: ./tools.mjs, export: searchHotels }
    effect: read
    alternatives: [hotel_search_backup] # tried in order when this tool has finally failed

  - id: hotel_search_backup
    description: Searches hotels in a city with another provider.
    run: { module: ./tools.mjs, export: searchHotelsElsewhere }
    effect: read

  - id: send_confirmation
    description: Sends a confirmation to the traveller.
    run: { module: ./tools.mjs, export: sendConfirmation }
    effect: unsafe # a repetition would send it twice, so it is not repeated unless it certainly was not carried out
`;

/** What `holdfast init` writes: the manifest and the files it refers to. */
export function commentedManifest(): CommentedManifest {
  return { text, files: [{ path: 'tools.mjs', text: module }] };
}
