import type { CallRequest } from '../../src/chain/requests.ts';

/** Answers calls with a word per `address selector`; any other contract or function is absent. */
export function answerWords(words: Readonly<Record<string, bigint>>): (request: CallRequest) => string {
  return ({ call }) => {
    const word = words[`${call.to} ${call.data}`];
    return word === undefined ? '"0x"' : `"0x${word.toString(16).padStart(64, '0')}"`;
  };
}
