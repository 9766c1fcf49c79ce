import type { Party } from '../stage/party.ts'
import type { Draw } from '../stage/random.ts'
import { shortTexts } from '../stage/texts.ts'

/** A file of sites, some lines of it good. */
export function csv(draw: Draw, { site: { url, wordpress } }: Party): string {
  const header = draw.pick([
    'url,username,application_password',
    'url;username;application_password;labels',
    'url',
    'x,y,z',
    '"',
    '',
  ])
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
