/** A process that sends requests and checks the answers, as its parent process directs. */
import { Pacer } from './pacer.ts';
import type { FromLoad, ToLoad } from './plan.ts';

let pacers: readonly Pacer[] = [];

function tell(message: FromLoad): void {
  process.send?.(message);
}

process.on('disconnect', () => process.exit());
process.on('message', async (message: ToLoad) => {
  switch (message.say) {
    case 'begin':
      pacers = message.lanes.map((lane) => new Pacer(lane));
      await Promise.all(pacers.map((pacer) => pacer.begin()));
      tell('begun');
      break;
    case 'look':
      tell(pacers.map((pacer) => pacer.look()));
      break;
    case 'cut':
      tell(pacers.map((pacer) => pacer.cut()));
      break;
    case 'end':
      tell(await Promise.all(pacers.map((pacer) => pacer.end())));
      break;
  }
});
tell('there');
