/** Owns the manifest that `holdfast init` writes: every section is explained, it loads without problems, and its tool works. */

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

const module = `/** A tool is a function: (args, context) => output. It may throw; Holdfast turns that into a result. */
const offers = [
  { flight: "HF 101", from: "OSL", to: "LIS", price: 180 },
  { flight: "HF 202", from: "OSL", to: "BER", price: 95 },
];

export async function search({ from, to }, context) {
  context.reportProgress({ message: "searching" });
  context.signal.throwIfAborted(); // the time limit has passed, or the caller has cancelled
  return { offers: offers.filter((offer) => offer.from === from && (to === undefined || offer.to === to)) };
}
`;

const text = `# yaml-language-server: $schema=./node_modules/@holdfast/manifest/schema/holdfast.schema.json
# Your tools and their settings. Check it with: holdfast check
version: 1

# The default settings: spec (5 attempts, circuit opens after 5 failures), service (4 attempts, failures
# counted per call) or adaptive (calls wait for recovery instead of failing, limits are learned, memory, hedging).
profile: spec

# Episodic memory: how retries and alternatives ended before influences the decision about the next failure.
# memory: on # the default of adaptive; off in spec and service

# Makes the jitter reproducible.
# seed: my-seed

# Settings of all tools; each tool can override them.
defaults:
  timeout_ms: 30000 # one attempt
  retry_policy:
    strategy: exponential_backoff # or linear_backoff, constant_backoff
    initial_delay_ms: 100
    max_delay_ms: 800
    multiplier: 2.0
    jitter_percent: 10
    max_attempts: 5 # the first included
    max_total_time_ms: 2000 # from the first failure to the start of the last retry
  circuit_breaker: # or false
    failure_threshold: 5
    success_threshold: 1
    open_ms: 30000 # how long it stays open
  # concurrency: { limit: 4, queue: 100 }
  # rate_limit: { limit: 10, window_ms: 1000 }
  # retry_budget: { ratio: 0.2, floor: 10, window_ms: 10000 }
  # hedge: { after_ms: p95, max_hedges: 1 }
  # wait_for_recovery: { max_wait_ms: 60000 } # instead of failing while the circuit is open; or false

# A turn is a set of calls. At the deadline, completed results are returned.
turn:
  timeout_ms: 300000
  concurrency: 16
  on_deadline: detach # tools still running finish in the background; or abort

# Where the trace is stored; metrics, alerts and replays are computed from it. false: in memory only.
store:
  path: .holdfast/trace.db
  durability: normal # fsync also survives a power cut
  # retention_days: 30

# Which call data the trace contains (always redacted): none, arguments or all.
capture: none

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
recovery_rules:
  - name: no-retry-after-unsafe-network-errors
    when: { effect: unsafe, category: [network, timeout] }
    deny: retry
    reason: The first attempt may have taken effect.

tools:
  - id: flight_search
    description: Searches flights between two airports.
    # Exactly one way to run it:
    run: { module: ./tools.mjs, export: search }
    # run: { worker: { module: ./tools.mjs, export: search } }    # a thread, ended at the time limit
    # run: { command: { command: ./search.sh } }                  # a program: arguments as JSON on stdin, output on stdout
    # run: { http: { url: 'https://api.example.com/flights' } }   # a request; strings may contain {{arguments.from}}
    # run: { mcp: { server: files, tool: read_file } }            # a tool of an MCP server
    effect: read # or idempotent, unsafe
    input_schema:
      type: object
      properties:
        from: { type: string, pattern: '^[A-Z]{3}$', description: Airport code such as OSL. }
        to: { type: string, pattern: '^[A-Z]{3}$' }
      required: [from]
      additionalProperties: false
    # output_schema: an output that violates it is a permanent failure
    # alternatives: [flight_search_backup]      # tried in order when this tool has finally failed
    # fallback: { offers: [] }                  # the output when all attempts and alternatives failed
    # classification: [{ status: 503, as: permanent }]
    retry_policy: { max_attempts: 3 }
`;

/** What \`holdfast init\` writes: the manifest and the files it refers to. */
export function commentedManifest(): CommentedManifest {
  return { text, files: [{ path: 'tools.mjs', text: module }] };
}
