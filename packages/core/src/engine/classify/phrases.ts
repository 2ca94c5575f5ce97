/**
 * Owns the meaning of phrases, in messages and in the names of codes and classes. The first row that matches decides, so
 * specific rows come before vague ones.
 *
 * 1. Patterns match the output of `wordsOf`: lower case, spaces between the words of a name, `not` for `n't`. Each
 *    starts at the beginning of a word, and repeats only within fixed bounds: no input makes them slow.
 */
import * as is from './verdict.ts';
import type { Verdict } from './verdict.ts';

export interface Phrase {
  /** Part of the rule of a classification. */
  readonly label: string;
  readonly verdict: Verdict;
  /** In a code: too vague to outweigh a status. */
  readonly isVague: boolean;
}

/** Up to three words between two significant ones. */
const gap = '(?: \\w+){0,3}';
const cannot = '(?:(?:un|not )able to|failed to|(?:can?|could|did) ?not)';
const secret = '(?:(?:api|access|secret) ?key|credentials?|pass(?:word|phrase)|token|signature|login|jwt|session)';
const bad = '(?:invalid|incorrect|wrong|bad|missing|expired|revoked|rejected|required|mal ?formed|mismatch)';

/** Rows of `[verdict, pattern]`. */
const rows: readonly (readonly [verdict: Verdict, pattern: string, vague?: 1])[] = [
  [
    is.bug,
    `cannot (?:(?:read|set) prop|destructure)|not (?:a (?:function|constructor)|iterable|defined$)|n(?:ull|il) ?pointer|^(?:attribute|name|assertion|key|index) ?(?:error|exception)|panicked|division by |index out of bounds|body (?:is unus|used|has al)|circular|not be cloned|maximum call stack|recursion limit`,
  ],
  [is.invalidInput, `(?:invalid|illegal|unsupported) (?:\\w+ ){0,2}time ?out|time ?out\\W? (?:must|should|option|is not)`],
  [
    is.invalidInput,
    `(?<!json )(?:(?:syntax|parser?|yaml|toml|xml|csv|template) (?:error|exc)|error in your sql)(?!.{0,80}json)|expect(?:ing|ed) .{1,60} before (?:end|.{1,20} token)|unexpected (?:eof in|newline|text|token: |character|identifier|end of (?:the )?(?:stream(?! on)|input within|string|expression|file|document))|(?:unknown|unrecognized|no such|invalid|bad) (?:\\w+ ){0,2}(?:flag|option|switch)|unknown (?:param|field|keyword|directive|arg|(?:\\w+ )?element)|yaml: line|(?:while|error) (?:parsing|scanning)|not find expected|(?:require|need)s (?:at |exactly |\\d)|^expected \\S{1,20}\\.?$|unexpected ["'\`](?!.{0,60}json)|no valid (?:\\w+ ){1,3}found|central directory|property \\S{1,60} does not|expected range`,
  ],
  [
    is.notFound,
    `(?:could|can|did)(?: ?not)? (?:open|read|find|load) (?:\\w+ ){1,5}for loading|missing (?:script|module)|not installed|no such process|invalid session id|file is missing`,
  ],
  [is.untrusted, `self signed|certificate|altnames|x509|err cert|tls alert|ssl routines`],
  [
    is.quota,
    `insufficient (?:quota|funds|balance|credit)|exceeded${gap} quota(?!.{0,90}per minute)|credits?${gap} (?:exceeded|exhausted|low)|(?:usage|spend\\w*|plan) (?:limit|cap)|(?:daily|monthly|weekly)(?: \\w+){0,3} (?:quota|limit|cap)\\b|(?:call|request)s? ?(?:per|/) ?(?:day|month)`,
  ],
  [
    is.rateLimit,
    `rate ?(?:limit|exceeded)|too many (?:\\w+ ){0,2}(?:request|call|quer|mess|attempt|token|operation)|throttl|slow ?down|(?:requests?|query|api|calls?) limit|request rate|flood|(?:requests|tokens|calls|queries) per (?:\\d|se?c|min|hour|ip|user|key)|per minute|provisioned through|limit.{0,60} again|resource (?:has been )?exhausted`,
  ],
  [is.quota, `billing|payment required|hard limit`],
  [is.quotaReached, `(?<!disk )quota|max \\w+ allowed$`],
  [
    is.contention,
    `deadlock|write ?conflict|serializ\\w+ (?:fail|err|conf|acc)|(?<!optimistic )lock (?:wait|request|time|not|err)|to lock\\b|(?:obtain|acquir\\w+|get)${gap} lock|(?<!account(?: is)? |semaphore )locked|(?:table|file|resource|target|database|row|index)${gap} busy|being (?:used|mod)|another (?:\\w+ )?(?:process|operation)|been modified|contention|transaction (?:conf|in|is|was)|concurrent (?:up|mod|trans|wr)|conflicting|resource temp`,
  ],
  [
    is.exhausted,
    `(?:acquir\\w+|check\\w* ?out|getting|waiting for)(?: \\w+){0,4} connection|connection acq|get connection time|pool${gap} (?:exhausted|full|time)|queue (?:is )?(?:at )?(?:limit|full|cap|size)|waiting ?clients|(?:too many|number of) clients|semaphore|bulkhead|(?:connections?|slots?|workers?|sessions?)${gap} (?:in use|busy)|busy conn|connection slots|job (?:has been |was )?dropped|no (?:free|available) (?:slot|worker|conn)`,
  ],
  [
    is.connectTimeout,
    `^connect(?:ion)? time ?d? ?out(?: error| exception)?\\.?$|connect time ?d? ?out|timed? ?out.{0,40} (?:connect\\b|connecting|handshake|lookup)|(?:handshake|connect|connecting|greeting)\\b.{0,40} timed? ?out|connect .{0,80} in \\d+ ?m?s|^timeout expired$|(?:connection|resolving) timed out after|i/o timeout`,
  ],
  [
    is.timeout,
    `time[ds]? ?out(?!=)|deadline (?:ex|pass)|transaction (?:has )?expired|took too long|too slow|(?:not|no) (?:respon|answer|repl|complet).{0,12} (?:within|in (?:time|\\d))|time limit|execution time|statement time`,
  ],
  [
    is.unavailable,
    `(?:service|server|model|system|resource|site|upstream|api|endpoint|region|zone|cluster|node|database|broker|backend|application)${gap} (?:unavailable|not ready|(?:down|offline|busy|starting|restarting|unhealthy|loading|recovering)\\b)|temporar(?!y failure in name)|overload|capacity|bad gateway|healthy upstream|maintenance|shut(?:ting)? ?down|no responders|(?:still|is|model) loading|circuit|breaker is open`,
  ],
  [
    is.refused,
    `getaddrinfo|name (?:or service )?not|name resolution|could not resolve host|(?:no such|unknown) host|host not|nodename|dns\\b`,
  ],
  [is.lostSession, `(?:no valid|unknown) session|session (?:id )?(?:not found|terminated|does not)`],
  [
    is.contract,
    `redirect (?:count|loop|limit|mode)|(?:many|maximum|max|unexpected) redirect|expecting (?:value|property)|(?<!not allowed.{0,40})content type(?!.{0,80} not allowed)|(?:invalid|bad|malformed|unexpected|empty|truncated|incomplete|unparse?able|corrupt\\w*) (?:\\w+ )?(?:response|reply|json|output|result)\\b(?! body while| from)|response (?:body )?(?:does|did|could|fail|valid|schema|format|was(?! received| not ok)|is|shape)|deserial|not valid json|json (?:parse|input|at|doc)|in json\\b|unexpected end of (?:\\w+ )?(?:json|input|data|buffer)|sec web ?socket|(?:was|were) (?:not )?expected\\.?$|bad data|decode (?:\\w+ ){0,2}(?:result|response)|parse fail|(?:output|content) (?:valid|schema|does|that does)|uninitialized|unknown resp|parse response|http/0|header check`,
  ],
  [is.answerTooLarge, `res(?:ponse)?(?: content| body)? exceed|received message larger`],
  [
    is.tooLarge,
    `too (?:large|big|long)\\b|max(?:imum)? (?:\\w+ ){0,2}(?:size|length|context|payload|bytes)|payload size|exceeds?${gap} (?:maximum|size|context|length|limit)|context (?:length|window)|larger than|over (?:the )?limit|size limit|size exceeded|length size|size larger`,
  ],
  [
    is.auth,
    `unknown token|unauth\\w+ed|auth\\w*(?: \\w+)? (?:fail|error|exc|vio|(?:is )?required|rejected)|auth(?:entication|orization)(?: header|$)|not (?:logged|auth\\w+ated|authed)|${bad} (?:\\w+ ){0,2}${secret}(?! at)|${secret}${gap} (?:${bad}|not valid|not active|does not|fail|unav)|host key ver|no (?:\\w+ ){0,2}(?:auth|token\\b|password|credentials\\b)|password protected|web token|log(?:ged)? ?in\\b|sign in|no valid cred|no signature|invalid (?:auth|grant|client|user(?!:| name))|account${gap} (?:inactive|disabled|suspended|locked)|denied for user|username(?! ex)|(?:provide|no|set) (?:\\w+ ){0,2}api key|(?:find|locate|load|get) (?:\\w+ ){0,3}credentials`,
  ],
  [
    is.permission,
    `forbidden|permission|(?:access|request)${gap} (?:denied|refused)|not (?:authori[sz]ed|permitted|entitled|allowed to|have access)|(?:are|is) not allowed|insufficient (?:priv|scope|right|acc)|missing scope|row level|privilege|read ?only|requires \\w+ access|blocked (?:by|due)|been suspended|^denied|security ?error`,
  ],
  [
    is.unsupported,
    `(?<!(?:invalid|illegal) [^:(]{1,30}[:(].{0,60})(?:not (?:yet )?support|unsupported)|not (?:yet )?(?:implemented|an? (?:\\w+ )?command)|unimplemented|method not|(?:unknown|invalid|no such) (?:command|method|operation|action|function|proc)(?! param| arg)|not acceptable|(?:is|are|was|been|feature) disabled`,
  ],
  [
    is.refused,
    `connection .{0,60}refused|unreachable|not reachable|no route|${cannot} (?:connect|contact|reach|establish)|connect(?:ion)? failed|(?:no|none of) (?:\\w+ ){0,2}(?:hosts?|servers?|brokers?|nodes?|endpoints?|connections?) (?:is )?(?:av|re|are)|unknown endpoint|(?:connection|socket|server|host|broker|daemon|port)(?: at \\S{1,60})? (?:is )?not (?:av|re|run|open)|server selection|not connected|network is down|no (?:\\w+ ){0,2}connections?\\b|client is off|proxy conn`,
  ],
  [
    is.cut,
    `h[au]ng ?up|(?:connection|socket|stream|channel|session|peer|client|target|page|browser|backend|rpc|transport|pipe|tunnel)${gap} (?:reset|closed?|lost|loss|terminated|aborted|dropped|d(?:estroy|ispos)ed|ended|killed|broken|interrupted|disconnected|crashed|gone)\\b|(?:connection|socket|transport) (?:failure|error|issue|exception|problem)|reset by peer|other side|premature|unexpected(?:ly)? (?:close(?! tag)|end|dis)|broken pipe|network(?!.{1,30} not found)|fetch failed|failed to fetch|load failed|^terminated$|gone away|disconnect|lost conn|closed by remote|clos(?:ed|ing) (?:the )?conn|eof\\b|empty (?:response|reply)|goaway|remote end|body while|retries exceeded with|content length`,
  ],
  [
    is.conflict,
    `already|(?:file|folder|directory|key|\\w*name|document|record|node|object|bucket|entry|entity|table|item|user|email) exists|(?:cas|etag) (?:mis|not|changed)|nonce|underpriced|duplicate|unique (?:con|vio|key)|(?:not|be) unique|(?:foreign|primary) key|constraint (?:validation )?(?:fail|vio|err)|violates (?!not|check)|conditional|pre ?cond|version (?:conf|mis|err)|idempoten|optimistic|out of date|stale ?(?:elem|obj|data|ver|rec|rev|state)|conflict|not (?:be )?empty|in use\\b|be overwritten|not apply|fetch first|fast forward`,
  ],
  [
    is.notFound,
    `not ?found|no ?such|do(?:es)? not ?exist|unknown (?!error|result|outcome|stat)\\w+|${cannot} (?:find|locate|resolve|open|import|be found)|no longer|undefined (?:table|col|func|ref|var|sym)|no (?:\\w+ ){1,4}(?:found|returned|exist)|non ?existent|nothing (?:found|to do)|no rule|no (?:node|row|key|record|document|entry|match)s?\\b|no \\w+ (?:for|named|matching)\\b|no results?\\b|manifest unknown|external entity|not a git|not appear to|did not match any|src refspec|not a directory`,
  ],
  [
    is.exhausted,
    `out of (?:mem|res)|not enough memory|memory size of .{1,40} exhausted|^memory ?error|too many open|(?:memory|heap) (?:limit|alloc)|insufficient (?:mem|res)|resources (?:ex|lim)`,
  ],
  [is.diskFull, `no space|disk|insufficient storage|out of space|(?:storage|table|file)(?: is)? (?:full|limit)`],
  [
    is.invalidInput,
    `invalid|incorrect|truncated|validat|malformed|bad (?:request|user|object|magic|url|proto|arch|input|param|arg|value|format|name|port|opt)|missing|required|must (?!wait|auth|re)\\w|is (?:expected|needed) to|should (?:not|contain|have|match)|should be (?!re|run|av|fix|back|ok)|not (?:a )?valid|not of type|expected .{0,60}(?:received|got|but|found)|unproc|out of (?:range|bounds)|illegal|not an? (?:\\w+ ){0,2}(?:file|archive|database|number)|not? ?recogni[sz]ed|unrecogn|unexpected (?:key|field|arg|prop|param|value|token)|(?:can|may) ?not (?:be|contain|have)\\b|too (?:few|short|small|many (?:arg|param|val|level))|(?:long|short)er than \\d|not match|${cannot} (?:parse|coerce|convert (?!und|obj|a ))|cast|no value|undefined value|not one of|corrupt|not closed|unclosed|unterminated|clos(?:e|ing) tag|not expected|value ?error|not null|check constraint|before first tag|\\w expected$|not in \\w+ format|is a directory|reverted|violati`,
    1,
  ],
  [
    is.unavailable,
    `unavailable|not (?:yet )?ready|try(?:ing)? (?:it |again|later)|retry later|please retry|too many|backpressure|draining|busy\\b|not? (?:an? |the )?(?:primary|master|leader|coord|shard)|retries|starting up`,
  ],
  [is.brokenServer, `internal|server ?error|backend ?error|(?:unexpected|unknown) error|went wrong on`, 1],
  // a diagnostic of a compiler or a linter
  [is.invalidInput, `\\w{1,40}\\.\\w{1,4}:\\d{1,6}:(?:\\d{1,6}:| error:)`, 1],
  [is.bug, `^(?:type|recursion|overflow) ?error:|failed to execute '[^']{1,40}' on '`],
  [is.refusedForGood, `unrecoverable|(?:non|not) ?retr[iy]able|not retry|permanent\\w* (?:err|fail)`, 1],
  [is.unknown, `transient|retr[iy]able`, 1],
  [
    is.cancelled,
    `^(?:(?:abort )?error: )?(?:the |this |a |your )?(?:user |tool |query |http )?(?:operation|request|call|command|execution|task|query|it)? ?(?:was |has been |is |got )?(?:aborted|cancell?ed)\\b(?! due)|user (?:abort|cancel)|^(?!cancel$)(?:abort(?:ed)?|cancell?(?:ed|ation)?)(?: err\\w*| exception)?$|context cancel|interrupted by|keyboard ?interrupt`,
  ],
];

interface Reader extends Phrase {
  readonly pattern: RegExp;
}

let readers: readonly Reader[] | undefined;

const readerOf = ([verdict, pattern, vague]: (typeof rows)[number]): Reader => ({
  label: verdict.category.replaceAll('_', ' '),
  verdict,
  isVague: vague !== undefined,
  pattern: new RegExp(`\\b(?:${pattern})`, 'm'),
});

/** The first phrase in a message, a code or a class name; when only some verdicts are `possible`, only theirs are tested. */
export function phraseIn(text: string, possible?: readonly Verdict[]): Phrase | undefined {
  const words = wordsOf(text);
  readers ??= rows.map(readerOf);
  for (const reader of readers)
    if ((possible === undefined || possible.includes(reader.verdict)) && reader.pattern.test(words)) return reader;
  return undefined;
}

/** `ThrottlingException`, `THROTTLING_EXCEPTION` and `throttling-exception` become `throttling exception`. */
export function wordsOf(text: string): string {
  // An address is no sentence: `/api?timeout=2s`.
  return (text.includes('://') ? text.replaceAll(/\w{2,12}:\/\/\S{1,400}/g, 'url') : text)
    .replaceAll(/[a-z\d](?=[A-Z])|[A-Z](?=[A-Z][a-z])/g, '$& ')
    .toLowerCase()
    .replaceAll('_', ' ')
    .replaceAll('-', ' ')
    .replaceAll('’', "'")
    .replaceAll("n't", ' not')
    .replace(/^(?:(?:error|uncaught|mcp error {2}\d{5}):? ){1,3}/, '');
}
