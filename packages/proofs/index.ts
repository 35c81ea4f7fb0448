/** Verifies answers of Ethereum nodes by recomputing them up to a block hash. Runs in Node and in browsers. */
export type { AccountLeaf } from '../ethereum/primitives/account-leaf.ts';
export type { Finding, Subject } from './findings.ts';
export type { StateProofRequest } from './state-proof.ts';
export {
  type AnswerVerdict,
  type StateVerdict,
  verifyBlockAnswer,
  verifyCodeAnswer,
  verifyReceiptsAnswer,
  verifyStateAnswer,
  verifyUnclesAnswer,
} from './verify-answer.ts';
