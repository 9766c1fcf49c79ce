import { expect, test } from 'vitest'
import { expiryOfAddress, warnOfSignedAddresses } from '../../src/delivery/steps/signed-addresses.ts'

const base64url = (json: object) => Buffer.from(JSON.stringify(json)).toString('base64url')
const token = `eyJhbGciOiJIUzI1NiJ9.${base64url({ url: 'a.png', exp: 1_800_000_000 })}.c2ln`
const policy = base64url({
  Statement: [{ Resource: 'https://a/*', Condition: { DateLessThan: { 'AWS:EpochTime': 1_800_000_000 } } }],
})
const until = '2027-01-15T08:00:00.000Z'

test.each([
  [
    'Amazon S3',
    'X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Date=20270115T070000Z&X-Amz-Expires=3600&X-Amz-Signature=ab12',
  ],
  ['Google Cloud Storage', 'X-Goog-Date=20270115T070000Z&X-Goog-Expires=3600&X-Goog-Signature=ab12'],
  ['Alibaba, version 4', 'x-oss-date=20270115T070000Z&x-oss-expires=3600&x-oss-signature=ab12'],
  ['Amazon, version 2', 'AWSAccessKeyId=AKIA&Expires=1800000000&Signature=vjby%3D'],
  ['CloudFront', 'Expires=1800000000&Signature=a~b_c&Key-Pair-Id=K2'],
  ['CloudFront with a policy', `Policy=${policy}&Signature=a~b_c&Key-Pair-Id=K2`],
  ['Azure', 'sv=2024-11-04&st=2027-01-15T07%3A00%3A00Z&se=2027-01-15T08%3A00%3A00Z&sr=b&sp=r&sig=a%2Bb%3D'],
  ['Tencent', 'q-sign-algorithm=sha1&q-sign-time=1799996400;1800000000&q-signature=ab12'],
  ['Akamai', 'hdnts=exp=1800000000~acl=/*~hmac=ab12'],
  ['Bunny', 'token=HS256-abc&expires=1800000000'],
  ['Discord', 'ex=6b49d200&is=6b488080&hm=ab12&'],
  ['Facebook', '_nc_ht=scontent&oh=00_Af&oe=6B49D200'],
  ['imgix', 'w=800&expires=1800000000&s=ab12'],
  ['a token in milliseconds', 'signature=ab12&expiresAt=1800000000000'],
  ['Supabase', `token=${token}`],
])('the time of a signed address is read: %s', (_name, query) => {
  expect((expiryOfAddress(`https://files.example/a.png?${query}`) as Date).toISOString()).toBe(until)
})

test.each([
  ['signed, until nobody knows', 'sv=2024-11-04&si=readers&sig=ab12', 'unknown'],
  ['a token that lasts', 'alt=media&token=5f0c7a52-9d1e-4f6b-8a59-2f6d0e0f7b11', undefined],
  ['a token without an end', `token=eyJhbGciOiJIUzI1NiJ9.${base64url({ url: 'a' })}.c2ln`, undefined],
  ['an offer that ends', 'expires=2027-01-15&utm_source=mail', undefined],
  ['a version', 'v=1800000000', undefined],
  ['a small number', 'expires=3600&token=abc', undefined],
  ['no query at all', '', undefined],
])('what is not read is not guessed: %s', (_name, query, expected) => {
  expect(expiryOfAddress(`https://files.example/a.png?${query}`)).toBe(expected)
})

test('each is named once, without its signature', () => {
  const address = 'https://files.example/a.png?Expires=1800000000&Signature=SECRET'
  const escaped = address.replaceAll('&', '&amp;')
  const json = address.replaceAll('&', '\\u0026')
  const texts = [
    `<!-- wp:image {"url":"${json}"} --><img src="${escaped}"/> <a href="${escaped}">text</a>`,
    JSON.stringify({ 'meta.social': address }),
    '<a href="https://files.example/b.png?Signature=x">b</a> <a href="https://files.example/c">c</a>',
  ]
  const warnings = warnOfSignedAddresses(texts, new Date('2027-02-01'))
  expect(warnings.map(({ message }) => message)).toEqual([
    'The post has the signed address https://files.example/a.png?…, which stopped working at 2027-01-15 08:00 UTC. Send the document with an address that lasts.',
    'The post has the signed address https://files.example/b.png?…, which may stop working, and does not say when. Send the document with an address that lasts.',
  ])
})

test('a text of nothing but the beginnings of addresses is read in linear time', () => {
  expect(warnOfSignedAddresses(['http://a?'.repeat(100_000)], new Date())).toEqual([])
})
