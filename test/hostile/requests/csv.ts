import type { Party } from '../stage/party.ts'
import type { Draw } from '../stage/random.ts'
import { shortTexts } from '../stage/texts.ts'

/** Bytes of the largest file that is read. */
const LARGEST = 1_000_000

/** A file of sites, some lines of it good, or one that is small as it comes and large once it is read. */
export function csv(draw: Draw, { site: { url, wordpress } }: Party): string {
  const header = draw.pick([
    'url,username,application_password',
    'url;username;application_password;labels',
    'url',
    'x,y,z',
    '"',
    '',
  ])
  if (draw.pick([false, false, false, true])) {
    const [more, line] = draw.pick([
      ['', 'a\n'],
      [',url'.repeat(LARGEST / 8), 'a\n'],
      ['', 'a,'],
    ] as const)
    return `${header}${more}\n${line.repeat(LARGEST / 4)}`
  }
  const cell = () =>
    draw.pick([
      url,
      wordpress.username,
      wordpress.password,
      'a',
      '"',
      `"${draw.pick(shortTexts)}"`,
      draw.pick(shortTexts),
    ])
  const lines = Array.from({ length: draw.pick([0, 1, 2, 3, 600]) }, () => [cell(), cell(), cell()].join())
  return [header, ...lines].join(draw.pick(['\n', '\r\n', '\r']))
}
