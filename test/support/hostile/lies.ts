import { type Json, Raw } from './site.ts'

/** The same answer with every member of a kind put in another's place. */
const everywhere =
  (change: (value: Json, name: string) => Json) =>
  (answer: Json): Json => {
    const walk = (value: Json, name: string): Json => {
      if (Array.isArray(value)) return value.map((member) => walk(member, name))
      if (typeof value === 'object' && value !== null && !(value instanceof Raw))
        return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, walk(member, key)]))
      return value instanceof Raw ? value : change(value, name)
    }
    return walk(answer, '')
  }

const ofTexts = (change: (text: string) => Json) =>
  everywhere((value) => (typeof value === 'string' ? change(value) : value))
const ofNumbers = (change: (number: number) => Json) =>
  everywhere((value) => (typeof value === 'number' ? change(value) : value))
const ofAddresses = (address: string) =>
  everywhere((value) => (typeof value === 'string' && /^https?:/.test(value) ? address : value))

const deep = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`

/** Ways in which an answer can be other than what WordPress sends. */
export const lies: Record<string, (answer: Json) => Json | Raw> = {
  'a NUL in every text': ofTexts((text) => `${text}\0`),
  'half of a surrogate pair in every text': ofTexts((text) => `${text}\ud800`),
  'texts of 300 KB': ofTexts((text) => text + 'x'.repeat(300_000)),
  'addresses that run a script': ofAddresses('javascript:alert(1)'),
  'addresses that are none': ofAddresses('not a url'),
  'addresses of a stranger': ofAddresses('https://bank.example/'),
  'addresses with a password': ofAddresses('https://a:b@bank.example/'),
  'numbers below zero': ofNumbers(() => -1),
  'broken numbers': ofNumbers((number) => number + 0.5),
  'numbers beyond int': ofNumbers(() => 1e15),
  'text for numbers': ofNumbers(() => 'many'),
  'numbers for text': ofTexts(() => 7),
  'null for everything': everywhere(() => null),
  'a list for everything': () => [],
  'nothing at all': () => new Raw(200, ''),
  'the word null': () => null,
  'a hundred thousand members': (answer) =>
    Array.isArray(answer)
      ? Array.from({ length: 100_000 }, () => 1)
      : {
          ...(answer instanceof Raw ? {} : answer),
          ...Object.fromEntries(Array.from({ length: 100_000 }, (_, n) => [`k${n}`, n])),
        },
  'a million brackets': () => new Raw(200, deep(1_000_000)),
  'brackets in a member': (answer) =>
    new Raw(200, JSON.stringify({ ...answer, meta: 0 }).replace('"meta":0', `"meta":${deep(200_000)}`)),
  'keys of every object': (answer) =>
    new Raw(200, JSON.stringify(answer).replace('{', '{"__proto__":{"id":1},"constructor":1,"toString":1,')),
  'an error with a NUL': () => new Raw(400, '{"code":"rest_\\u0000","message":"\\u0000\\ud800 no"}'),
  'an error of 300 KB': () =>
    new Raw(403, JSON.stringify({ code: 'x'.repeat(300_000), message: '<'.repeat(300_000) })),
  'an error with data of any shape': () =>
    new Raw(400, `{"code":"term_exists","message":"no","data":${deep(50)}}`),
  'a page of brackets': () => new Raw(500, '<'.repeat(100_000), { 'content-type': 'text/html' }),
  'a header that names no attachment': () => new Raw(500, '{}', { 'x-wp-upload-attachment-id': '1e309' }),
  'a header that names half an attachment': () => new Raw(500, '{}', { 'x-wp-upload-attachment-id': '2.5' }),
}
