/** Owns the cases of failing tools: transiently, permanently, with unknown side effects, or with secrets in their errors. */
import type { ContractCase } from '../contract-case.ts';
import { judge } from '../contract-case.ts';
import { toolResults } from '../stage.ts';
import { call, cityTool, done, opening, resultMatches, textAt, wait, weather } from './tools.ts';

const unavailable = (): Error => Object.assign(new Error('Request failed with status code 503'), { status: 503 });
const notFound = (): Error => Object.assign(new Error('No such city'), { status: 404 });
const secret = 'sk-proj-Abcdefghijklmnopqrstuvwxyz0123456789';

export const failureCases: readonly ContractCase[] = [
  {
    id: 'one-of-two-fails',
    title: 'One of two calls of an answer fails while the other still runs',
    expected: 'both results, in the order of the calls',
    needs: [],
    async observe(stage) {
      const broken = cityTool('broken', () => Promise.reject(notFound()));
      const slow = cityTool('slow', async () => {
        await wait(60);
        return 'slow but sure';
      });
      const played = await stage.play({ tools: [broken, slow], script: [{ calls: [call('broken'), call('slow')] }, done] });
      return judge(stage, played, [
        [toolResults(played).length === 2, 'there is one result per call'],
        [resultMatches(played, 0, /No such city/), 'the failure is reported'],
        [resultMatches(played, 1, /slow but sure/), 'the other result is kept'],
      ]);
    },
  },
  {
    id: 'one-of-two-fails-streaming',
    title: 'The same, streamed',
    expected: 'both results, in the order of the calls',
    needs: ['streaming'],
    async observe(stage) {
      const broken = cityTool('broken', () => Promise.reject(notFound()));
      const script = [{ text: 'Looking.', calls: [call('broken'), call('get_weather')] }, done];
      const played = await stage.play({ tools: [broken, weather()], script, streaming: true });
      return judge(stage, played, [
        [resultMatches(played, 0, /No such city/), 'the failure is reported'],
        [resultMatches(played, 1, /Rain in Oslo/), 'the other result is kept'],
        [played.text === 'All done.', 'the caller gets the answer'],
      ]);
    },
  },
  {
    id: 'transient-then-success',
    title: 'A tool that declares `read` is unavailable twice, then works',
    expected: 'the model gets the result and none of the failures',
    needs: [],
    added: true,
    async observe(stage) {
      let runs = 0;
      const flaky = cityTool('flaky', () => {
        runs += 1;
        if (runs < 3) throw unavailable();
        return 'at last';
      });
      const options = { tools: { flaky: { effect: 'read' as const } } };
      const played = await stage.play({ tools: [flaky], script: [{ calls: [call('flaky')] }, done], options });
      return judge(
        stage,
        played,
        [
          [textAt(played, 0) === 'at last', 'the model gets only the result'],
          [played.requests.length === 2, 'there are no extra requests to the model'],
        ],
        { traced: ['RetryScheduled', 'ToolSucceeded'] },
      );
    },
  },
  {
    id: 'unsafe-not-repeated',
    title: 'The connection is lost after a payment was sent',
    expected: 'not repeated, and reported; with Holdfast the model is told that the payment may have gone through',
    needs: [],
    async observe(stage) {
      const pay = cityTool('pay', () => {
        throw Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' });
      });
      const options = { tools: { pay: { effect: 'unsafe' as const } } };
      const played = await stage.play({ tools: [pay], script: [{ calls: [call('pay')] }, done], options });
      return judge(
        stage,
        played,
        [
          [pay.runs.length === 1, 'it is run once'],
          [resultMatches(played, 0, /hang up|may have/i), 'the model is told that it failed'],
        ],
        { own: [[resultMatches(played, 0, /may have/i), 'the model is told that the call may have taken effect']] },
      );
    },
  },
  {
    id: 'undeclared-not-repeated',
    title: 'Tools that declare nothing: one loses its connection, one throws a plain error',
    expected: 'neither is repeated, and the plain error does not close its tool for a later call',
    needs: [],
    async observe(stage) {
      const send = cityTool('send_mail', () => {
        throw Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
      });
      const seat = cityTool('book_seat', ({ city }) => {
        if (city !== 'Rome') throw new Error('Seat 12A is taken');
        return 'booked';
      });
      const cities = ['Oslo', 'Bern', 'Wien', 'Bonn', 'Kiel', 'Genf'];
      const script = [
        { calls: [call('send_mail'), ...cities.map((city) => call('book_seat', city))] },
        { calls: [call('book_seat', 'Rome')] },
        done,
      ];
      const played = await stage.play({ tools: [send, seat], script });
      return judge(stage, played, [
        [send.runs.length === 1, 'a call that may have taken effect is not repeated'],
        [seat.runs.length === cities.length + 1, 'an unknown failure is not repeated'],
        [resultMatches(played, 1, /Seat 12A is taken/), 'the model reads the error of the tool'],
        [textAt(played, cities.length + 1) === 'booked', 'unknown failures close no tool'],
      ]);
    },
  },
  {
    id: 'open-circuit',
    title: 'A tool that has failed repeatedly is called again',
    expected: 'not run while its circuit is open; the model is told that it is unavailable and when to retry',
    needs: [],
    added: true,
    async observe(stage) {
      const down = cityTool('down', () => {
        throw unavailable();
      });
      const options = { tools: { down: opening } };
      const script = [{ calls: [call('down', 'Oslo')] }, { calls: [call('down', 'Rome')] }, done];
      const played = await stage.play({ tools: [down], script, options });
      return judge(
        stage,
        played,
        [
          [down.runs.every((args) => JSON.stringify(args) !== '{"city":"Rome"}'), 'it is not run again'],
          [resultMatches(played, 1, /unavailable|circuit/i), 'the model is told'],
        ],
        { traced: ['CircuitBreakerOpened'] },
      );
    },
  },
  {
    id: 'open-circuit-advertised',
    title: 'Tools are offered while the circuit of one is open',
    expected: 'its description mentions it',
    needs: ['advertising'],
    added: true,
    async observe(stage) {
      const down = cityTool('down', () => {
        throw unavailable();
      });
      const options = { tools: { down: opening }, run: { openCircuits: 'annotate' as const } };
      const played = await stage.play({ tools: [down, weather()], script: [{ calls: [call('down')] }, done], options });
      const offered = played.requests.map(({ neutral }) => neutral.tools.find(({ name }) => name === 'down')?.description ?? '');
      return judge(stage, played, [
        [offered[0] === down.description, 'at first it is offered unchanged'],
        [/unavailable/i.test(offered[1] ?? ''), 'then it is offered as unavailable'],
      ]);
    },
  },
  {
    id: 'alternative',
    title: 'A tool with an alternative fails',
    expected: 'the alternative runs with the same arguments, and the model gets its result',
    needs: [],
    added: true,
    async observe(stage) {
      const primary = cityTool('primary', () => {
        throw unavailable();
      });
      const backup = cityTool('backup', ({ city }) => `Backup for ${city}.`);
      const options = { tools: { primary: { alternatives: ['backup'], effect: 'read' as const } } };
      const played = await stage.play({ tools: [primary, backup], script: [{ calls: [call('primary')] }, done], options });
      return judge(stage, played, [[textAt(played, 0) === 'Backup for Oslo.', 'the model gets the result of the alternative']], {
        traced: ['AlternativeUsed'],
      });
    },
  },
  {
    id: 'secrets',
    title: 'A tool fails with a key and a password in its error',
    expected: 'the model, the trace and the provider never see them',
    needs: [],
    async observe(stage) {
      const leaky = cityTool('leaky', () => {
        throw Object.assign(new Error(`GET https://admin:hunter22@db.example/x failed, Authorization: Bearer ${secret}`), { status: 401 });
      });
      const played = await stage.play({ tools: [leaky], script: [{ calls: [call('leaky')] }, done] });
      const leaks = (text: string): boolean => text.includes(secret) || text.includes('hunter22');
      return judge(stage, played, [
        [toolResults(played).length === 1, 'the failure is reported'],
        [!leaks(JSON.stringify(played.requests.map(({ body }) => body))), 'no request contains the secrets'],
        [!leaks(JSON.stringify(played.events)), 'the trace contains no secrets'],
      ]);
    },
  },
];
