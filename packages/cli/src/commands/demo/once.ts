import type { Context } from '../../context/context.js';
import { Sink } from '../../output/printer.js';
import { afterwards } from './ending.js';
import { playStep } from './play.js';
import { Screens } from './screen.js';
import { Stage } from './stage.js';
import type { Step } from './tour.js';

/** The tour by itself: one step after the other, everything on stdout. */
export async function once(context: Context, steps: readonly Step[]): Promise<void> {
  const { io } = context;
  const sink = new Sink(io.stdout.stream);
  const screens = new Screens(context, steps.length);
  const stage = await Stage.open(context, io.interrupted);
  try {
    for (const [index, step] of steps.entries()) {
      const { shown, failure } = await playStep(stage, step, false, io.interrupted);
      await sink.write(`${screens.step(step, shown, index + 1)}\n`);
      if (failure !== undefined) throw failure;
    }
  } finally {
    await stage.close();
  }
  await sink.write(afterwards(io));
}
