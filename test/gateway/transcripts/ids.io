// ids come back to the last digit
>> {"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":[]}
<< {"jsonrpc":"2.0","id":1,"result":"0x539"}
>> {"jsonrpc":"2.0","id":9007199254740993,"method":"eth_chainId"}
<< {"jsonrpc":"2.0","id":9007199254740993,"result":"0x539"}
>> {"jsonrpc":"2.0","id":1.0,"method":"eth_chainId"}
<< {"jsonrpc":"2.0","id":1.0,"result":"0x539"}
>> {"jsonrpc":"2.0","id":-12.50e-7,"method":"eth_chainId"}
<< {"jsonrpc":"2.0","id":-12.50e-7,"result":"0x539"}
>> {"jsonrpc":"2.0","id":"a\"b\u00e9","method":"eth_chainId"}
<< {"jsonrpc":"2.0","id":"a\"bé","result":"0x539"}
>> {"jsonrpc":"2.0","id":null,"method":"net_version","params":[]}
<< {"jsonrpc":"2.0","id":null,"result":"1337"}
>> {"method":"eth_chainId","params":null,"extra":{"id":5},"id":7,"jsonrpc":"2.0"}
<< {"jsonrpc":"2.0","id":7,"result":"0x539"}
// no id: nothing is said, also about errors
>> {"jsonrpc":"2.0","method":"eth_chainId"}
<<
>> {"jsonrpc":"2.0","method":"nope","params":{"a":1}}
<<
>> [{"jsonrpc":"2.0","method":"eth_chainId"},{"jsonrpc":"2.0","method":"nope"}]
<<
