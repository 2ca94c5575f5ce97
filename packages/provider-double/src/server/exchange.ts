/** Handles one request, from its body to the end of the answer. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { bedrockErrors, errorBody, type Refusal } from '../answers/error-body.ts';
import { messagesBody, signatureFor } from '../answers/messages.ts';
import { outputItems, responseBody } from '../answers/responses.ts';
import type { NeutralContent, NeutralRequest } from '../neutral/neutral-request.ts';
import { readChat } from '../neutral/read-chat.ts';
import { readConverse } from '../neutral/read-converse.ts';
import { readGemini } from '../neutral/read-gemini.ts';
import { readMessages } from '../neutral/read-messages.ts';
import { readResponses } from '../neutral/read-responses.ts';
import type { Item } from '../rules/openai-responses/shape.ts';
import type { BackendProfile } from '../rules/problem.ts';
import { fieldsOf, listOf, textOf } from '../rules/reading.ts';
import { answerOf } from '../script/answer.ts';
import type { ScriptedError, ScriptedTurn } from '../script/scripted-turn.ts';
import type { HeldItems } from './held-items.ts';
import type { HeldThinking } from './held-thinking.ts';
import type { HeldThreads } from './held-threads.ts';
import { groqRefusal, judge } from './judge.ts';
import { sendJson, sendStream, wholeBody } from './play.ts';
import type { RecordedRefusal, RecordedRequest } from './recorded-request.ts';
import type { Route } from './route.ts';
import type { ScriptPlayer } from './script-player.ts';

/** State that all exchanges of one double share. */
export interface DoubleState {
  readonly profile: BackendProfile | undefined;
  readonly apiKey: string | undefined;
  readonly models: readonly string[] | undefined;
  readonly player: ScriptPlayer;
  readonly held: HeldItems;
  readonly threads: HeldThreads;
  readonly thinking: HeldThinking;
  readonly requests: RecordedRequest[];
  answers: number;
  calls: number;
}

interface Body {
  readonly model?: unknown;
  readonly stream?: unknown;
  readonly stream_options?: unknown;
  readonly input?: unknown;
  readonly include?: unknown;
}

function neutralOf(route: Route, body: unknown, held: HeldItems): NeutralRequest {
  const { model, stream, input } = fieldsOf<Body>(body);
  const content = (): NeutralContent => {
    switch (route.format) {
      case 'openai-chat':
        return readChat(body);
      case 'openai-responses': {
        const before = held.before(body);
        const items = listOf(input).map((item) => fieldsOf<Item>(item));
        // Only a reference refers to what is held; an item that was sent in full counts as sent.
        const whole = items.map((item) => (item.type === 'item_reference' ? (before?.resolve(textOf(item.id)) ?? item) : item));
        return readResponses(body, [...(before?.items ?? []), ...whole]);
      }
      case 'anthropic-messages':
        return readMessages(body);
      case 'gemini':
        return readGemini(body);
      case 'bedrock-converse':
        return readConverse(body);
    }
  };
  return { format: route.format, model: route.model ?? textOf(model), stream: route.stream ?? stream === true, ...content() };
}

/** Adds the model of the URL to the body, where the rules look for it. */
const withModel = (route: Route, body: unknown): unknown => {
  if (route.format === 'gemini') return { ...fieldsOf<object>(body), model: route.model };
  return route.format === 'bedrock-converse' ? { ...fieldsOf<object>(body), modelId: route.model } : body;
};

function errorHeaders(format: NeutralRequest['format'], status: number, retryAfterMs?: number): Record<string, string> {
  return {
    ...(format === 'bedrock-converse' ? { 'x-amzn-errortype': bedrockErrors[status] ?? 'ValidationException' } : {}),
    ...(retryAfterMs === undefined
      ? {}
      : { 'retry-after': String(Math.ceil(retryAfterMs / 1000)), 'retry-after-ms': String(retryAfterMs) }),
  };
}

const scriptedRefusal = (error: ScriptedError): Refusal => ({
  status: error.status,
  message: error.message ?? (error.status === 429 ? 'Rate limit reached.' : 'The server had an error while processing your request.'),
});

const scriptEnded: ScriptedTurn = { error: { status: 400, message: 'The script of the provider double has no turns left.' } };

export async function exchange(
  state: DoubleState,
  route: Route,
  incoming: IncomingMessage,
  response: ServerResponse,
  sent: unknown,
): Promise<void> {
  const { format } = route;
  const { profile, held, threads, thinking } = state;
  const body = withModel(route, sent);
  const whole = format === 'anthropic-messages' ? threads.whole(body) : body;
  const url = new URL(incoming.url ?? '/', 'http://double');
  const neutral = neutralOf(route, whole ?? body, held);
  const record = (refused: RecordedRefusal | undefined): void => {
    state.requests.push({ path: url.pathname, body, neutral, refused });
  };
  const refuse = (refusal: Refusal, problems: RecordedRefusal['problems'], retryAfterMs?: number, whole?: unknown): void => {
    const { status, message } = refusal;
    record({ status, message, problems });
    sendJson(response, status, whole ?? errorBody(format, profile, refusal), errorHeaders(format, status, retryAfterMs));
  };

  const question = { format, profile, model: neutral.model, body: whole, headers: incoming.headers, query: url.searchParams };
  const verdict = judge({ ...question, held, thinking, apiKey: state.apiKey, models: state.models });
  if (verdict) return refuse(verdict.refusal, verdict.problems);

  const turn = state.player.next(neutral) ?? scriptEnded;
  if (turn.delayMs !== undefined) await wait(turn.delayMs);
  if (turn.error) return refuse(scriptedRefusal(turn.error), [], turn.error.retryAfterMs, turn.error.body);

  state.answers += 1;
  const answer = answerOf(turn, { request: neutral, profile, number: state.answers, calls: state.calls });
  state.calls += answer.calls.length;
  const failed = profile === 'groq' ? groqRefusal(neutral, answer.calls) : undefined;
  if (failed) return refuse({ status: 400, message: textOf(failed['message']) }, [], undefined, { error: failed });

  record(undefined);
  const { include, stream_options: options } = fieldsOf<Body>(body);
  const items = format === 'openai-responses' ? outputItems(answer, listOf(include).includes('reasoning.encrypted_content')) : [];
  if (format === 'openai-responses') held.keepAnswer(body, textOf(responseBody(answer, items)['id']), items);
  if (format === 'anthropic-messages') {
    const { id, content } = messagesBody(answer);
    threads.keep(body, whole, textOf(id), content);
    if (answer.reasoning !== '') thinking.keep(signatureFor(answer), answer.reasoning);
  }
  const includeUsage = fieldsOf<{ readonly include_usage?: unknown }>(options).include_usage === true;
  const sending = { format, answer, items, includeUsage };
  if (neutral.stream) await sendStream(response, sending, answer.chunking);
  else sendJson(response, 200, wholeBody(sending));
}
