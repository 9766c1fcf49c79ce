/** What eSpeak NG speaks, by the names of its voices. */
export const known = new Set(
  `af am an ar as az ba be bg bn bpy bs ca chr cmn cs cv cy da de el en en-029 en-GB-scotland en-GB-x-rp en-US eo es es-419
  et eu fa fi fo fr fr-BE fr-CH ga gd gn grc gu hak haw he hi hr ht hu hy hyw ia id io is it ja jbo ka kaa kk kl kn ko kok
  ku ky la lb lfn lt ltg lv mi mk ml mr ms mt my nb nci ne nl nog om or pa pap pl pt pt-BR qu quc ro ru ru-LV sd shn si sk
  sl smj sq sr sv sw ta te th ti tk tn tr tt ug uk ur uz vi vi-VN-x-central vi-VN-x-south yue`.split(/\s+/),
)

/** The same language by another code, and those whose speakers understand each other. */
const same: Record<string, string> = {
  zh: 'cmn',
  no: 'nb',
  nn: 'nb',
  iw: 'he',
  in: 'id',
  hbs: 'sr',
  sh: 'sr',
  fil: 'id',
}

/** For regions that speak as another one does, and not as the language's own voice. */
const regions: Record<string, string> = {
  ...Object.fromEntries(['CA', 'PH', 'PR', 'GU'].map((region) => [`en-${region}`, 'en-US'])),
  ...Object.fromEntries(
    'AR BO CL CO CR CU DO EC GT HN MX NI PA PE PR PY SV US UY VE'
      .split(' ')
      .map((region) => [`es-${region}`, 'es-419']),
  ),
  'zh-HK': 'yue',
  'zh-MO': 'yue',
}

/** What is nearest to a language that it does not speak: one of its own family, where people know the one by the other. */
const kin: Record<string, string> = {
  gl: 'pt',
  oc: 'ca',
  ast: 'es',
  fy: 'nl',
  gsw: 'de',
  nds: 'de',
  yi: 'de',
  jv: 'id',
  su: 'id',
  tl: 'id',
  ceb: 'id',
  zu: 'sw',
  xh: 'sw',
  rw: 'sw',
  hsb: 'cs',
  lo: 'th',
  mai: 'hi',
  bho: 'hi',
  ps: 'fa',
  ckb: 'fa',
}

/** Whose letters it can read at least. */
const scripts: Record<string, string> = {
  Latn: 'en-US',
  Cyrl: 'ru',
  Arab: 'ar',
  Deva: 'hi',
  Hans: 'cmn',
  Hant: 'cmn',
  Hebr: 'he',
  Grek: 'el',
  Jpan: 'ja',
  Kore: 'ko',
  Beng: 'bn',
  Taml: 'ta',
  Telu: 'te',
  Thai: 'th',
  Ethi: 'am',
  Armn: 'hy',
  Geor: 'ka',
}

/** How a language is spoken here. */
export interface Spoken {
  /** As eSpeak NG names it. */
  name: string
  /** Whether it is the language that was asked for, be it with the voice of another region. */
  exact: boolean
}

/**
 * The voice of a language: of its region, of the language, of one near it, of one that has its letters.
 *
 * @param tag BCP 47; what is none is spoken as English is
 */
export function spokenAs(tag: string): Spoken {
  const locale = localeOf(tag)
  if (locale === undefined) return { name: 'en-US', exact: false }
  const { language, region } = locale.maximize()
  const own = [
    regions[`${language}-${region}`],
    same[`${language}-${region}`],
    `${language}-${region}`,
    language,
    same[language],
  ].find((name) => name !== undefined && known.has(name))
  if (own !== undefined) return { name: own, exact: true }
  const { script = 'Latn' } = locale.maximize()
  return { name: kin[language] ?? scripts[script] ?? 'en-US', exact: false }
}

function localeOf(tag: string): Intl.Locale | undefined {
  try {
    return new Intl.Locale(tag)
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

/** Its name in English, for a sentence; without its private part (`-x-…`), which Node 24 refuses. */
export const nameOf = (name: string): string =>
  new Intl.DisplayNames('en', { type: 'language' }).of(name.replace(/-x-.*/, '')) ?? name
