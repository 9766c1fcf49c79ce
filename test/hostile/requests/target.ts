import type { Draw } from '../stage/random.ts'
import { hostileTexts, shortTexts } from '../stage/texts.ts'

/** Other spellings of a path, and what looks like one. */
export const spellings: readonly ((path: string) => string)[] = [
  (path) => `${path}/`,
  (path) => `/${path}`,
  (path) => path.replaceAll('/', '//'),
  (path) => path.toUpperCase(),
  (path) => path.replace('/v1/', '/V1/'),
  (path) => path.replace('s', '%73'),
  (path) => path.replace('/v1/', '/%76%31/'),
  (path) => path.replaceAll('/', '%2f').replace('%2f', '/'),
  (path) => path.replaceAll('/', '\\').replace('\\', '/'),
  (path) => `/.${path}`,
  (path) => `/x/..${path}`,
  (path) => `/x/%2e%2e${path}`,
  (path) => `${path};x=1`,
  (path) => `${path}%00`,
  (path) => `${path}%0d%0aX-Injected:%20yes`,
  (path) => `${path}%`,
  (path) => `${path}%ff%fe`,
  (path) => `${path}%ed%a0%80`,
  (path) => `${path}.json`,
  (path) => `${path}#fragment`,
  (path) => `${path}/../..${path}`,
  (path) => `http://evil.example${path}`,
  (path) => `https://user:password@evil.example:1${path}`,
  (path) => `//evil.example${path}`,
  (path) => path.slice(1),
  (path) => `${path}${'/x'.repeat(3_000)}`,
  (path) => `${path}?`,
  (path) => `${path}${'?'.repeat(500)}`,
  () => '*',
  () => '/',
  (path) => path.replace(/[^/]+$/, ''),
  (path) => path.replace(/[^/]+$/, '__proto__'),
  (path) => path.replace(/[^/]+$/, 'undefined'),
]

/** Text as part of a query: also such as no encoder would write. */
const inQuery = (text: string): string =>
  Buffer.from(text.slice(0, 6_000))
    .toString('latin1')
    .replace(/[^\w.~-]/g, (character) => `%${character.charCodeAt(0).toString(16).padStart(2, '0')}`)

/** A query of these parameters, some of them wrong. */
export function query(draw: Draw, parameters: [name: string, value: string][]): string {
  const pairs = parameters.map(([name, value]) => `${name}=${inQuery(value)}`)
  const [name = 'limit'] = draw.pick(parameters.length > 0 ? parameters : [['limit', '']])
  const odd = () => inQuery(String(draw.pick(draw.chance(0.2) ? hostileTexts : shortTexts)))
  const tricks = [
    () => `${name}=${odd()}`,
    () => `${name}[]=${odd()}&${name}[]=x`,
    () => `${name}[a][b]=${odd()}`,
    () => `${name}=1&${name}=2`,
    () => `${name}`,
    () => `${odd()}=${odd()}`,
    () => `__proto__[x]=1&constructor[prototype][y]=1`,
    () => `${name}=%ed%a0%80`,
    () => `${name}=%00`,
    () => `${name}=%`,
    () => `${name}=%c0%80`,
    () => 'a=1&'.repeat(1_200),
    () => `${'a[b]'.repeat(100)}=1`,
  ]
  if (draw.chance(0.4)) pairs.push(draw.pick(tricks)())
  return pairs.length === 0 ? '' : `?${draw.shuffle(pairs).join('&')}`
}
