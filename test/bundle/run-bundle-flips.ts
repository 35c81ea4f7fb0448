/**
 * Changes every byte of a bundle of each of the seven methods, in two ways each, as damage and as forgery: `npm run check -- bundles`, half an hour
 * on a quiet machine; `-- op_` selects the methods with that text in their name. Prints the number of refusals, and every stretch of accepted
 * changes with its meaning. Exits with 1 where an accepted change alters a verified answer or is meaningless.
 */
import { makeTemporaryFolder } from '../support/temporary-folder.ts';
import { BUILTIN, createConfig, makeBundle, SEVEN } from './bundles.ts';
import { countBytes, isDamageRefused, judgeForgery, type Outcome } from './flips.ts';

/** The lowest bit turns a digit or letter into another one, 0x20 lower case into upper case. */
const MASKS = [0x01, 0x20];
/** Number of characters that are shown before an accepted change. */
const AROUND = 24;

const folder = makeTemporaryFolder();
const config = createConfig(BUILTIN, folder.path);
const [only = ''] = process.argv.slice(2);
let isBad = false;
let changes = 0;
for (const row of SEVEN) {
  const name = `${row.method} of ${row.network}`;
  if (!name.includes(only)) continue;
  const text = await makeBundle(config, row);
  const counts: Record<Outcome, number> = { refused: 0, told: 0, question: 0, meaningless: 0, forged: 0 };
  let damaged = 0;
  /** Stretches of bytes with the same outcome, `from` and `to` inclusive. */
  const accepted: { readonly outcome: Outcome; readonly from: number; to: number }[] = [];
  for (let at = 0; at < text.length; at++) {
    for (const mask of MASKS) if (!(await isDamageRefused(text, at, mask))) damaged++;
  }
  for (let at = 0; at < countBytes(text); at++) {
    for (const mask of MASKS) {
      const outcome = await judgeForgery(text, at, mask);
      counts[outcome]++;
      changes++;
      if (outcome === 'refused') continue;
      const last = accepted.at(-1);
      if (last?.outcome === outcome && at - last.to <= 1) last.to = at;
      else accepted.push({ outcome, from: at, to: at });
    }
  }
  isBad ||= damaged > 0 || counts.meaningless > 0 || counts.forged > 0;
  console.log(
    `${name}: ${text.length} bytes; damage: ${damaged} accepted; forgery: ${counts.refused} refused, ` +
      `${counts.told} told, ${counts.question} another question, ${counts.meaningless} without meaning, ${counts.forged} forged`,
  );
  for (const { outcome, from, to } of accepted)
    console.log(`  ${outcome}: ${text.slice(Math.max(0, from - AROUND), from)}[${text.slice(from, to + 1)}]`);
}
console.log(`${changes} forgeries`);
folder.remove();
process.exitCode = isBad ? 1 : 0;
