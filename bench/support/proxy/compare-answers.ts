import { post } from '../ask.ts';
import type { Row } from './rows.ts';
import type { Subject } from './subject.ts';

const SHOWN = 300;

/**
 * Sends the request of each HTTP row once to every server.
 * @throws Error where answers differ
 */
export async function compareAnswers(subjects: readonly Subject[], rows: readonly Row[]): Promise<void> {
  for (const row of rows.filter(({ isWebSocket }) => !isWebSocket)) {
    const answers: { readonly name: string; readonly text: string }[] = [];
    for (const { name, targetOf } of subjects) {
      const target = targetOf(row);
      if (target !== undefined) answers.push({ name, text: await post(target, row.body) });
    }
    const [first, ...others] = answers;
    for (const other of others) {
      if (other.text === first?.text) continue;
      const shown = [first, other].map((answer) => `${answer?.name}: ${answer?.text.slice(0, SHOWN)}`);
      throw new Error(`${row.name}: answers differ\n${shown.join('\n')}`);
    }
  }
}
