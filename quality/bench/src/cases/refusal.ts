import { failing, type Contender } from '../contenders/contender.ts';
import { errorsPerRefusal } from '../checks/error-count.ts';
import { contest } from './contest.ts';

export const refusal = contest({
  name: 'refusal',
  title: 'A refusal by an open circuit',
  what: 'The circuit was opened by failures of the tool and stays open. Rejections are caught in the timed loop.',
  targets: [{ to: 'opossum 10', atMost: 0.1, wanted: '≤ 1/10 of opossum 10' }],
  takesPart: ({ open }) => open !== undefined,
  enter: ({ open, protect }: Contender) => open?.() ?? Promise.resolve(protect({ run: failing })),
  rejects: true,
  async check() {
    const built = await errorsPerRefusal();
    return {
      targets: [{ wanted: 'no `Error` is built by Holdfast', seen: `${built.holdfast} in 1,000 refusals`, met: built.holdfast === 0 }],
      notes: [`Errors built in 1,000 refusals by opossum, counted the same way: ${built.opossum}.`],
    };
  },
});
