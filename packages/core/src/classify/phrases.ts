/**
 * Owns what words mean, in messages and in the names of codes and classes alike. The first phrase that matches decides, so
 * the specific stand above the vague.
 *
 * 1. Patterns see lower case with spaces for underscores, and repeat only within fixed bounds: no input makes them slow.
 */
import * as is from './verdict.ts';
import type { Verdict } from './verdict.ts';

export interface Phrase {
  /** Named in the rule of a classification. */
  readonly label: string;
  readonly pattern: RegExp;
  readonly verdict: Verdict;
  /** In a code: says too little to outweigh a status. */
  readonly vague?: boolean;
}

const credential =
  '(?:api[- ]?key|credentials?|password|passphrase|access[- ]?key|(?:auth|access|bearer|refresh|session|id|security|user|bot)[- ]?token|signature|login|jwt)';
const because = '(?:invalid|incorrect|wrong|bad|missing|expired|revoked|rejected|malformed|unknown)';

const rows: readonly (readonly [string, Verdict, RegExp, 'vague'?])[] = [
  [
    'programming error',
    is.bug,
    /^(?:uncaught )?(?:typeerror: )?cannot (?:read|set|destructure|access) |(?:is|are) not (?:a function|a constructor|iterable|defined$)|before initialization|assignment to constant|\b(?:nullpointerexception|attributeerror|nameerror|zerodivisionerror|nil pointer dereference|assertionerror|keyerror|indexerror|unboundlocalerror)\b|cyclic object value|circular structure|could not be cloned|serialize a bigint/,
  ],
  [
    'timeout setting',
    is.invalidInput,
    /(?:invalid|illegal|unsupported) (?:\w+ ){0,2}time-?out|time-?out['"`]? (?:must|should|option|parameter|is not|cannot|needs)/,
  ],
  [
    'certificate',
    is.untrusted,
    /self[- ]signed|certificate (?:has expired|is not (?:yet valid|trusted)|verify failed|verification|unknown|revoked|required|signed by unknown)|(?:verify the first|issuer|bad) certificate|certificate's altnames|does not match certificate|unknown ca\b|x509:|\berr cert |tls alert|ssl routines/,
  ],
  [
    'quota exhausted',
    is.quota,
    /insufficient (?:quota|funds|balance|credits?)|exceeded (?:your |its |the )?(?:current |monthly |daily )?quota(?! for .{0,80}per minute)|(?:credits?|credit balance)(?: has been| is| was)? (?:exceeded|exhausted|depleted|too low|used up)|out of credits|(?:usage|spending|spend|plan) (?:limit|cap)/,
  ],
  [
    'rate limit',
    is.rateLimit,
    /rate[- ]?limit|ratelimit|rate exceeded|too many (?:\w+ )?(?:requests|calls|queries|messages|attempts|tokens)|throttl|slow ?down|(?:requests?|api|calls?) limit|request rate|flood ?wait|enhance your calm|(?:requests|tokens|calls|queries) per (?:second|minute|min|hour|day)|per minute per|provisioned throughput|\bhit .{0,20}too quickly|too fast|quota .{0,120}per (?:minute|second|user)|limit reached.{0,40}try again|resource (?:has been )?exhausted/,
  ],
  ['quota exhausted', is.quota, /\bbilling|payment required|hard limit/],
  [
    'quota exceeded',
    is.quota,
    /quota(?: has been| is| was| limit)? (?:exceeded|reached|exhausted|depleted|limit)|exceeded quota|\bmax \w+ allowed$/,
  ],
  [
    'contention',
    is.contention,
    /deadlock|write ?conflict|could not serialize|\bserialization (?:failure|error|conflict)|lock (?:wait |request )?time[- ]?(?:d )?out|could not (?:obtain|acquire) (?:\w+ )?lock|lock not available|(?:database|table|file|resource|row|index|object)(?: \w+)? (?:is |are )?(?:currently )?(?:locked|busy)|being (?:used by another process|modified)|another \w+ process|has been modified|too much contention|transaction (?:conflict|in progress|is ongoing|was aborted)|concurrent (?:update|modification|transaction|write)|conflicting (?:\w+ )?operation|restarting transaction|already (?:being )?(?:held|locked)|(?:unable|failed) to (?:acquire|obtain|lock) |watched keys|resource temporarily/,
  ],
  [
    'pool exhausted',
    is.exhausted,
    /(?:acquir\w+|checkout|checking out|get(?:ting)?|waiting for)(?: \w+){0,4} connection.{0,40}|(?:connection )?pool (?:is )?(?:exhausted|full|timed? ?out|timeout)|queue (?:limit|is full|full|capacity)|semaphore|bulkhead|(?:connections?|slots?|workers?|sessions?) (?:are |is )?(?:all |currently )?in use|remaining connection slots|no (?:free|available) (?:slots?|workers?|connections?)/,
  ],
  [
    'connect timeout',
    is.connectTimeout,
    /^connect(?:ion)? time ?(?:d )?-?out(?: error| exception)?\.?$|\bconnect time ?(?:d )?-?out|(?:timed? ?out|time-?out).{0,40}(?:\bconnect\b|connecting|to connect|handshake|lookup)|(?:handshake|\bconnect\b|connecting|greeting).{0,40}(?:timed ?out|time-?out)|(?:failed|unable|could not) (?:to )?connect .{0,80}\bin \d+ ?m?s|^timeout expired$|dial tcp.{0,80}i\/o timeout/,
  ],
  [
    'timeout',
    is.timeout,
    /time[ds]?[- ]?out|deadline (?:exceeded|expired)|took too long|did ?n[o']t (?:respond|answer|complete) (?:in time|within)|no (?:response|answer|reply) (?:received )?within|exceeded (?:\w+ ){0,3}(?:time limit|execution time|timeout)|statement time|allotted time|time limit exceeded/,
  ],
  [
    'outage',
    is.unavailable,
    /(?:service|server|model|system|resource|site|upstream|api|endpoint|region|zone) (?:is |was )?(?:currently |temporarily )?(?:unavailable|overloaded|down\b|offline|busy|not ready|at capacity)|temporar(?:y|ily)|overloaded|bad gateway|no healthy upstream|under maintenance|maintenance mode|scheduled maintenance|shutting ?down|at shutdown|no responders|(?:currently|still|is|model) loading|breaker is open|circuit (?:breaker )?(?:is )?open|broken circuit|hash slot not served/,
  ],
  ['certificate', is.untrusted, /certificate/],
  [
    'name resolution',
    is.refused,
    /getaddrinfo|name (?:or service )?not (?:resolved|known)|name resolution|could not resolve host|no such host|host not found|unknown host|nodename nor servname|\bdns\b/,
  ],
  ['session lost', is.cut, /(?:no valid|unknown) session|session (?:id )?(?:not found|terminated|does not exist)/],
  ['redirects', is.contract, /redirect (?:count|loop|limit)|(?:too many|maximum|max) redirects?/],
  [
    'bad response',
    is.contract,
    /(?:invalid|bad|malformed|unexpected|empty|truncated|incomplete|unparse?able|corrupt\w*) (?:\w+ )?(?:response|reply|json|output|result)\b|response (?:body )?(?:does not|did not|doesn't|didn't|could not be|failed|validation|schema|format|was not|is not|shape)|deserializ|not valid json|json (?:parse|input|at position|document)|\bin json\b|unexpected end of (?:json|input|data)|parse failure|(?:output|structured content) (?:validation|schema|does not|that does not)|uninitialized|unknown resp type|header check|does not match the http/,
  ],
  [
    'too large',
    is.tooLarge,
    /too (?:large|big|long)\b|(?:maximum|max)[ -](?:\w+[ -]){0,2}(?:size|length|context|payload|bytes)|payload size|exceeds? (?:the )?(?:\w+ ){0,3}(?:maximum|size|context|length|limit)|context (?:length|window)|larger than (?:max|the)|over (?:the )?(?:size )?limit|size limit|content ?length size/,
  ],
  [
    'authentication',
    is.auth,
    new RegExp(
      `unauthori[sz]ed|unauthenticated|auth(?:enticat\\w*)?(?: \\w+)? (?:fail\\w*|error|exception|required|is required|rejected)|authentication (?:error|exception)?$|authorization(?: error| exception| required| failed| failure| header|$)|not (?:logged in|authenticated|authed)|${because} (?:\\w+ ){0,2}${credential}|${credential}s?(?: \\w+)?(?: is| was| has| been| are| not){0,3} (?:${because}|required|not valid|does not match|mismatch)|${credential}.{0,40} (?:rejected|revoked|expired)|bad token|no token|(?:invalid|expired|revoked|missing) token(?! at)|token (?:has |is |was )?(?:been )?(?:expired|invalid|revoked|rejected)|web token|login (?:failed|required|incorrect)|(?:must be|please) log(?:ged)? in|sign in|problem with authentication|session (?:has |is |was )?(?:expired|invalid)|invalid session|credentials? unavailable|log ?in again|signature verification|no signatures? found|invalid (?:auth|grant|client|username)|account (?:is )?(?:inactive|disabled|suspended|locked)|access denied for user|username-password|you must provide an api key|no api key|set (?:the|an?) (?:\\w+ )?api key`,
    ),
  ],
  [
    'permission',
    is.permission,
    /forbidden|permissions?\b|(?:access|request) (?:is |was |has been )?(?:denied|refused)|not (?:authori[sz]ed|permitted|entitled)|not allowed to|(?:are|is) not allowed|insufficient (?:privileges?|scopes?|rights|access)|missing scopes?|privilege|read[- ]?only|(?:not|n't) have access|requires \w+ access|on your (?:\w+ )?plan\b|row-level security|blocked by|^denied/,
  ],
  [
    'unsupported',
    is.unsupported,
    /not (?:yet )?(?:implemented|supported)|unimplemented|unsupported|method not (?:found|allowed)|unknown (?:command|method|operation|action|function|procedure)|no such (?:command|method)|does ?n[o']t support|not acceptable|cannot handle|(?:is|are|was|been) disabled|feature disabled/,
  ],
  [
    'network',
    is.refused,
    /econnrefused|connection (?:attempt )?(?:was )?refused|(?:host|network|server|destination) (?:is |was )?(?:unreachable|not reachable)|no route to host|unable to (?:connect|reach)|(?:could ?n[o']t|can ?no?t|can't|failed to) (?:connect|reach|establish)|connect failed|connection failed|no (?:\w+ )?(?:hosts?|servers?|brokers?|nodes?|endpoints?|connections?) (?:available|reachable|are)|no living connections|unreachable hosts|(?:connection|server|host|broker|daemon)(?: at \S{1,60})? (?:is )?not (?:available|reachable|running)|server selection|before secure tls|not connected|internet disconnected|network is down|no connection established|proxy connection/,
  ],
  [
    'network',
    is.cut,
    /socket hang ?up|hung up|(?:connection|socket|stream|channel|session|peer|client|target|page|browser|websocket|transport|pipe|tunnel)(?: \w+)?(?: was| is| has| been| got| unexpectedly| abruptly| already| has been){0,3} (?:reset|closed?|lost|terminated|aborted|dropped|destroyed|ended|broken|interrupted|disconnected|crashed|gone)\b|(?:connection|socket|websocket|transport|xhr poll) (?:error|failure|issue|exception|problem)|(?:reset|closed|terminated|aborted|dropped) by (?:the )?(?:peer|remote|server|other)|other side closed|premature (?:close|end)|unexpected(?:ly)? (?:close|eof|end of (?:file|stream)|disconnect)|broken pipe|network ?(?:error|request failed|changed|failure|issue|problem|exception)|fetch failed|failed to fetch|load failed|^terminated$|gone away|disconnect|lost connection|clos(?:ed|ing) (?:the )?connection|\beof\b|empty response|stream (?:has been|was) aborted|goaway|remote end closed|invalid response body while|max retries exceeded with url|content-length mismatch/,
  ],
  [
    'conflict',
    is.conflict,
    /already (?:exists?|in use|taken|registered|allocated|been|running|created|used|started|completed|processed|closed|open|associated)|(?:file|folder|directory|key|name) exists|duplicate|unique (?:constraint|violation|key)|(?:foreign key|primary key) |constraint (?:failed|violation|fails|error)|violates|conditional (?:check|request)|pre-?conditions?|version (?:conflict|mismatch|error)|idempoten|optimistic|stale ?(?:element|object|data|version|record|revision|state)|conflict|(?:not|n't) (?:be )?empty|in use\b/,
  ],
  [
    'not found',
    is.notFound,
    /not[- ]?found|no such|nosuch|does ?n[o']t exist|do not exist|doesnotexist|unknown (?:table|column|database|channel|user|tool|topic|model|index|key|resource|name|guild|entity|member|message|file|id)\b|could ?n[o']t (?:find|be found|resolve to|locate)|(?:cannot|can't|unable to) (?:find|locate|resolve)|no longer (?:exists|available)|undefined (?:table|column|function)|\bno (?:\w+ ){1,4}(?:found|returned|exists?)\b|non ?-?existent|notfound|nothing found|record not|cannot open|unable to open/,
  ],
  [
    'out of resources',
    is.exhausted,
    /out of (?:memory|resources)|too many open files|(?:memory|heap) (?:limit|allocation)|insufficient (?:memory|resources)|resources (?:exhausted|limit)|capacity exceeded/,
  ],
  [
    'storage full',
    is.full,
    /no space left|disk (?:is )?full|disk quota|insufficient (?:storage|disk)|out of (?:disk|space)|storage (?:full|limit)/,
  ],
  [
    'invalid input',
    is.invalidInput,
    /invalid|validat|malformed|bad (?:request|user input|input|parameter|argument|value|format|name|port|option)|(?:missing|required)[ \w'"`-]{0,30}(?:parameter|argument|field|property|value|input|attribute|header)|(?:parameter|argument|field|property|value|attribute|input)[ \w'"`-]{0,30}(?:is )?(?:missing|required)|(?:is|are) required|must (?:be|not|have|match|contain|start|end)|should be (?:an?|one|in|of|at|between|greater|less|positive|string|number)\b|not a valid|expected .{0,60}(?:received|got|but|found)|unprocessable|syntax ?error|out of range|illegal|unrecogni[sz]ed|unexpected (?:key|field|argument|property|parameter|value|token)|(?:cannot|can't|may not) be (?:empty|null|blank|negative|used|undefined|less|greater)|too (?:few|short|small|many (?:arguments|parameters|values))|(?:failed|unable) to parse|parse error|cast (?:error|to)|no value provided|undefined value|not one of|in the past|not recogni[sz]ed|corrupt|out of bounds|valueerror|illegalargument|not-null|check constraint/,
    'vague',
  ],
  [
    'unavailable',
    is.unavailable,
    /unavailable|overload|not (?:yet )?ready|(?:server|cluster|node|database|broker|backend|upstream|application) (?:\w+ )?(?:is )?(?:busy|down|offline|starting|restarting|unhealthy|loading|recovering)|try(?:ing)? (?:it |again|later)|retry later|please retry|maintenance|shutdown|shut down|too many (?:\w+ )?(?:clients|connections|sessions)|at capacity|backpressure|\bbusy\b|not (?:a )?(?:primary|master|leader|coordinator)|no (?:primary|leader|master|shard)|max(?:imum)? (?:number of )?retries|starting up/,
  ],
  [
    'server error',
    is.brokenServer,
    /internal (?:server )?(?:error|failure|exception)|^server ?error|backend ?error|unexpected error|unknown error|something went wrong on our/,
    'vague',
  ],
  [
    'not retryable',
    is.refusedForGood,
    /unrecoverable|non[- ]?retr(?:y|i)able|not retr(?:y|i)able|do not retry|permanent(?:ly)? (?:error|failure|failed)/,
    'vague',
  ],
  ['retryable', is.unknown, /transient|retr(?:y|i)able/, 'vague'],
  [
    'cancelled',
    is.cancelled,
    /^(?:error: |aborterror: )?(?:the |this |a |your )?(?:user |tool |query |http )?(?:operation|request|call|command|execution|task|query|it)? ?(?:was |has been |is |got )?(?:aborted|cancell?ed)(?: by (?:the )?(?:user|caller|client))?\b(?! due)|user (?:abort|cancel)|\babort(?:ed)?(?: error| err)?$|cancell?(?:ed|ation)(?: error| exception)?$|context cancell?ed|interrupted by user|keyboardinterrupt/,
  ],
];

const phrases: readonly Phrase[] = rows.map(([label, verdict, pattern, vague]) => ({
  label,
  verdict,
  pattern,
  ...(vague && { vague: true }),
}));

/** The first phrase in a text that was lowered by `lowered`. */
export function phraseIn(text: string): Phrase | undefined {
  return phrases.find(({ pattern }) => pattern.test(text));
}

/** A message as the patterns want it. */
export function lowered(message: string): string {
  return message.toLowerCase().replaceAll('_', ' ');
}

/** A code or class name as words: `ThrottlingException` and `THROTTLING_EXCEPTION` become `throttling exception`. */
export function wordsOf(symbol: string): string {
  return symbol
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replaceAll(/([A-Z]{1,64})([A-Z][a-z])/g, '$1 $2')
    .replaceAll(/[_\-./:#]+/g, ' ')
    .toLowerCase();
}
