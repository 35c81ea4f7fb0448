// answers stand in the order of the calls; each item fares for itself
>> [{"jsonrpc":"2.0","id":1.0,"method":"eth_call","params":[{"to":"0x000000000000000000000000000000000000000a"},"latest"]},{"jsonrpc":"2.0","id":"b","method":"eth_chainId"},{"jsonrpc":"2.0","method":"eth_chainId"},7,{"jsonrpc":"2.0","id":3,"method":"nope"}]
<< [{"jsonrpc":"2.0","id":1.0,"result":"0x0a"},{"jsonrpc":"2.0","id":"b","result":"0x539"},{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"invalid request: expected a request object"}},{"jsonrpc":"2.0","id":3,"error":{"code":-32601,"message":"the method nope does not exist/is not available"}}]
>> []
<< {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"empty batch"}}
>> [[]]
<< [{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"invalid request: expected a request object"}}]
