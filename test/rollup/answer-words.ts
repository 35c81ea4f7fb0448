import type { CallRequest } from '../../src/chain/requests.ts';

/** What contracts answer: `address selector`, each with a word. Others are not there. */
export function answerWords(words: Readonly<Record<string, bigint>>): (request: CallRequest) => string {
  return ({ call }) => {
    const word = words[`${call.to} ${call.data}`];
    return word === undefined ? '"0x"' : `"0x${word.toString(16).padStart(64, '0')}"`;
  };
}
