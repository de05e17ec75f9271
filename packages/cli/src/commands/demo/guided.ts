import type { Context } from '../../context/context.js';
import { interrupted } from '../../errors/cli-error.js';
import { Sink } from '../../output/printer.js';
import { whileItRuns } from './ending.js';
import { Keys } from './keys.js';
import { playStep } from './play.js';
import { Screens } from './screen.js';
import { Stage } from './stage.js';
import type { Step } from './tour.js';

const CLEAR = '\u001b[2J\u001b[H';

/**
 * The tour on a terminal: a screen for each step, driven by keys. A step runs when it is first reached; going back shows
 * what it showed, since a campaign is not created twice.
 */
export async function guided(context: Context, steps: readonly Step[]): Promise<void> {
  const { io } = context;
  const sink = new Sink(io.stdout.stream);
  const screens = new Screens(context, steps.length);
  const keys = new Keys(io.stdin.stream, io.interrupted);
  const clear = io.env.TERM === 'dumb' ? '\n' : CLEAR;
  const seen: string[] = [];
  let stage: Stage | undefined;
  try {
    stage = await Stage.open(context, keys.interrupted);
    for (let at = 0; ; ) {
      const step = steps[at];
      if (step === undefined) {
        await sink.write(`${clear}${screens.end('On your own')}\n${whileItRuns(stage.url, io)}\n`);
      } else {
        if (seen[at] === undefined) {
          const { shown, failure } = await playStep(stage, step, true, keys.interrupted);
          const screen = screens.step(step, shown, at + 1);
          if (failure !== undefined) {
            await sink.write(`${clear}${screen}`);
            throw failure;
          }
          seen[at] = screen;
        }
        await sink.write(`${clear}${seen[at]}\n`);
      }
      const forward = step === undefined ? [] : ['Enter next'];
      await sink.write(`${screens.keys(...forward, ...(at > 0 ? ['b back'] : []), 'q quit')} `);
      const wish = await keys.next();
      await sink.write('\n');
      if (wish === 'interrupt') throw interrupted('Interrupted; the service is stopped.');
      if (wish === 'quit') return;
      at = wish === 'next' ? Math.min(at + 1, steps.length) : Math.max(at - 1, 0);
    }
  } finally {
    keys.close();
    await stage?.close();
  }
}
