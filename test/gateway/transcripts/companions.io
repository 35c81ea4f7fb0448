// what clients ask before they call
>> {"jsonrpc":"2.0","id":1,"method":"eth_getTransactionCount","params":["0x7435ed30a8b4aeb0877cef0c6e8cffe834eb865f","latest"]}
<< {"jsonrpc":"2.0","id":1,"result":"0x7"}
>> {"jsonrpc":"2.0","id":1,"method":"eth_getTransactionCount","params":["0x7435ed30a8b4aeb0877cef0c6e8cffe834eb865f",{"blockNumber":"0x1"}]}
<< {"jsonrpc":"2.0","id":1,"result":"0x7"}
>> {"jsonrpc":"2.0","id":1,"method":"eth_getTransactionCount","params":["0x7435ed30a8b4aeb0877cef0c6e8cffe834eb865f","safe"]}
<< {"jsonrpc":"2.0","id":1,"result":"0x7"}
>> {"jsonrpc":"2.0","id":1,"method":"eth_getTransactionCount","params":["0x7435ed30a8b4aeb0877cef0c6e8cffe834eb865f","0x64"]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"header not found"}}
>> {"jsonrpc":"2.0","id":1,"method":"eth_getTransactionCount","params":["0x7435ed30a8b4aeb0877cef0c6e8cffe834eb865f"]}
<< {"jsonrpc":"2.0","id":1,"result":"0x7"}
>> {"jsonrpc":"2.0","id":1,"method":"eth_getTransactionCount","params":[]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"missing value for required argument 0"}}
>> {"jsonrpc":"2.0","id":1,"method":"eth_getTransactionCount","params":["0x7435","latest"]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"invalid argument 0: hex string has length 4, want 40 for address"}}
