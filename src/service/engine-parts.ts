/** Modules that need the engine, loaded on demand as one bundle. */
import { createExecutionPool, openEmbeddedChain, prepareStore } from './open-embedded-chain.ts';
import { openCodes, openExecutions } from './open-executions.ts';

export { createExecutionPool, openCodes, openEmbeddedChain, openExecutions, prepareStore };
