import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  type ClientFacts,
  type DevelopmentRule,
  explainRefusal,
  judgeClient,
} from '../../src/methods/development-access.ts';
import { findDevelopmentLabel } from '../../src/methods/development-methods.ts';

const RULE: DevelopmentRule = {
  isEverywhere: false,
  listensOnLoopback: true,
  hasTrustedProxies: false,
  origins: new Set(['http://localhost:3000', 'null']),
};
const CLIENT: ClientFacts = { address: '127.0.0.1', origin: undefined, isForwarded: false };

describe('methods of a development node', () => {
  it('are for clients of this machine that no proxy stands before', () => {
    assert.equal(judgeClient(RULE, CLIENT, undefined), 'granted');
    assert.equal(judgeClient(RULE, { ...CLIENT, address: '::1' }, undefined), 'granted');
    assert.equal(judgeClient({ ...RULE, listensOnLoopback: false }, CLIENT, undefined), 'listener');
    assert.equal(judgeClient({ ...RULE, hasTrustedProxies: true }, CLIENT, undefined), 'trustedProxies');
    for (const address of ['10.0.0.1', '1270.0.0.1', '127.0.0.1.example', '::2', ''])
      assert.equal(judgeClient(RULE, { ...CLIENT, address }, undefined), 'address', address);
    assert.equal(judgeClient(RULE, { ...CLIENT, isForwarded: true }, undefined), 'proxy');
  });

  it('are for pages whose origin is named, which null never is', () => {
    const judge = (origin: string): string => judgeClient(RULE, { ...CLIENT, origin }, undefined);
    assert.equal(judge('HTTP://localhost:3000'), 'granted');
    for (const origin of ['null', '*', '', 'http://localhost:3001', 'http://localhost:3000.evil.example'])
      assert.equal(judge(origin), 'origin', origin);
  });

  it('are not for keys that are bound to contracts, or may not send', () => {
    for (const rule of [RULE, { ...RULE, isEverywhere: true }]) {
      const judge = (maySend: boolean, bindsContracts: boolean): string =>
        judgeClient(rule, CLIENT, { maySend, bindsContracts });
      assert.equal(judge(true, false), 'granted');
      assert.equal(judge(true, true), 'contracts');
      assert.equal(judge(false, false), 'sending');
    }
  });

  it('are for clients everywhere where the network says so, but for pages that are not named', () => {
    const rule: DevelopmentRule = {
      ...RULE,
      isEverywhere: true,
      listensOnLoopback: false,
      hasTrustedProxies: true,
    };
    const client: ClientFacts = { address: '10.0.0.1', origin: undefined, isForwarded: true };
    assert.equal(judgeClient(rule, client, undefined), 'granted');
    assert.equal(judgeClient(rule, { ...client, origin: 'https://evil.example' }, undefined), 'origin');
  });

  it('say which condition is not met, and what to do; a client of which nothing is known is refused', () => {
    assert.equal(explainRefusal('granted', 'anvil_mine'), undefined);
    assert.match(
      explainRefusal('proxy', 'anvil_mine') ?? '',
      /^the method anvil_mine .*proxy.*development: true/,
    );
    assert.match(explainRefusal(undefined, 'anvil_mine') ?? '', /not known to be open/);
  });

  it('are named one by one, or of three namespaces; in another case they are none', () => {
    assert.equal(findDevelopmentLabel('anvil_setBalance'), 'anvil_*');
    assert.equal(findDevelopmentLabel('eth_sendTransaction'), 'eth_sendTransaction');
    const others = [
      'personal_sign',
      'personal_unlockAccount',
      'eth_sendRawTransaction',
      'ANVIL_mine',
      'anvil_',
    ];
    for (const name of [...others, 'eth_signer', 'xanvil_mine', 'admin_peers', 'debug_setHead'])
      assert.equal(findDevelopmentLabel(name), undefined, name);
  });
});
