/** What is no HTTP, or tries to be two requests at once. `{target}` and `{key}` are put in. */
const texts: readonly string[] = [
  '',
  '\0',
  'GET\r\n\r\n',
  'GET {target}\r\n\r\n',
  'GET {target} HTTP/0.9\r\n\r\n',
  'GET {target} HTTP/3.0\r\nHost: x\r\n\r\n',
  'GET {target} HTTP/1.1\r\n\r\n',
  'GET {target} HTTP/1.0\r\n\r\n',
  'GET  {target}  HTTP/1.1\r\nHost: x\r\n\r\n',
  'GET {target} HTTP/1.1\nHost: x\nConnection: close\n\n',
  'GET {target} HTTP/1.1\r\nHost: x\r\nAuthorization:Bearer {key}\r\nConnection: close\r\n\r\n',
  'GET {target} HTTP/1.1\r\nHost: x\r\n Folded: yes\r\nConnection: close\r\n\r\n',
  'GET {target} HTTP/1.1\r\nHost: x\r\nBad Header: yes\r\nConnection: close\r\n\r\n',
  'GET {target} HTTP/1.1\r\nHost: x\r\nX: a\0b\r\nConnection: close\r\n\r\n',
  'GET {target} HTTP/1.1\r\nHost: x\r\n: nameless\r\nConnection: close\r\n\r\n',
  'POST {target} HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n0\r\n\r\nGET / HTTP/1.1\r\n\r\n',
  'POST {target} HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nContent-Length: 6\r\nConnection: close\r\n\r\nhello!',
  'POST {target} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {key}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\nfffffffffffffffff\r\n',
  'POST {target} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {key}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n-1\r\n\r\n',
  'POST {target} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {key}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n2;x=y\r\n{}\r\n0\r\nTrailer: x\r\n\r\n',
  'CONNECT 127.0.0.1:22 HTTP/1.1\r\nHost: 127.0.0.1:22\r\n\r\n',
  'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
  'GET {target} HTTP/1.1\r\nHost: x\r\n\r\nGET {target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
]

export const malformed = (target: string, key: string): Buffer[] =>
  texts.map((text) => Buffer.from(text.replaceAll('{target}', target).replaceAll('{key}', key), 'latin1'))
