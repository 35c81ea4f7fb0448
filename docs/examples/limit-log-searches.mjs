// An interceptor: refuses log searches of a key while as many as `most` of its searches run.
export function limitLogSearches(most) {
  const running = new Map(); // searches by key
  const add = (keyId, count) => running.set(keyId, (running.get(keyId) ?? 0) + count);
  return {
    before({ method, keyId }) {
      if (method !== 'eth_getLogs') return undefined;
      if ((running.get(keyId) ?? 0) >= most)
        return { code: -32005, message: `more than ${most} log searches at a time` };
      add(keyId, 1);
      return undefined;
    },
    after({ method, keyId }) {
      if (method === 'eth_getLogs') add(keyId, -1);
      if (running.get(keyId) === 0) running.delete(keyId);
    },
  };
}
