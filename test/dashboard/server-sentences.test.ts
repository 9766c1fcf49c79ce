import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { translateAnswer } from '../../dashboard/src/translate-answer.ts'
import { sentenceTranslator } from '../../src/lib/sentences.ts'
import { wordPressFailures } from '../../src/wordpress/failures/catalogue.ts'
import type { FailureFacts } from '../../src/wordpress/failures/types.ts'

const translate = sentenceTranslator({
  '{site} is in maintenance mode.': '{site} ist im Wartungsmodus.',
  'The name {host} cannot be resolved ({seen}).': 'Den Namen {host} gibt es nicht ({seen}).',
  'Check the spelling.': 'Prüfen Sie die Schreibweise.',
  'The post has no {…}: {message}': '{message} Dem Beitrag fehlt {…}.',
  'The post': 'Der Beitrag',
})

describe('a sentence of the server', () => {
  it.each([
    ['with what is filled in', 'blog.example is in maintenance mode.', 'blog.example ist im Wartungsmodus.'],
    ['with signs of a pattern in it', '$& (a+b) is in maintenance mode.', '$& (a+b) ist im Wartungsmodus.'],
    [
      'after another one',
      'The name a.example cannot be resolved (ENOTFOUND). Check the spelling.',
      'Den Namen a.example gibt es nicht (ENOTFOUND). Prüfen Sie die Schreibweise.',
    ],
    [
      'in front of one that nobody translated',
      'a.example is in maintenance mode. Ask Bob. Check the spelling.',
      'a.example ist im Wartungsmodus. Ask Bob. Prüfen Sie die Schreibweise.',
    ],
    [
      'within another one, in another place',
      'The post has no tags: a.example is in maintenance mode.',
      'a.example ist im Wartungsmodus. Dem Beitrag fehlt tags.',
    ],
    [
      'that nobody translated',
      'A plugin removed it (as a duplicate).',
      'A plugin removed it (as a duplicate).',
    ],
  ])('%s', (_, english, german) => {
    expect(translate(english)).toBe(german)
  })

  it('is translated wherever an answer has one, and nothing that somebody else wrote', () => {
    const said = 'a.example is in maintenance mode.'
    const answer = {
      data: [
        {
          error: { code: 'x', message: said },
          timeline: [{ detail: `site_down: ${said}` }],
          title: said,
          body: { message: said },
        },
      ],
    }
    expect(translateAnswer(answer, translate)).toEqual({
      data: [
        {
          error: { code: 'x', message: 'a.example ist im Wartungsmodus.' },
          timeline: [{ detail: 'a.example ist im Wartungsmodus.' }],
          title: said,
          body: { message: said },
        },
      ],
    })
  })
})

const german = sentenceTranslator(JSON.parse(readFileSync('dashboard/languages/server/de.json', 'utf8')))

describe('a sentence that is put together is German in each of its parts', () => {
  it.each([
    [
      'The request cannot be carried out as it is; nothing was changed. body.url: must be a full address, such as https://example.com; got "x"; body.name: must not be empty.',
      'Die Anfrage kann so nicht ausgeführt werden; nichts wurde geändert. body.url: muss eine vollständige Adresse sein, etwa https://example.com; angegeben ist "x"; body.name: darf nicht leer sein.',
    ],
    ['data.content: is missing: it must be an object', 'data.content: fehlt: es muss ein Objekt sein'],
    [
      '1,075 deliveries to 1 site: The page "Tides" is a link to Notion.',
      '1,075 Zustellungen an 1 Website: Die Seite „Tides“ wird zu einem Link auf Notion.',
    ],
    [
      'Block 3 (embed): an embed has no address; what it says is kept',
      'Block 3 (embed): eine Einbettung hat keine Adresse; was sie sagt, bleibt',
    ],
    [
      'Block 2 (hero): a block of type "hero" is not known; what it says is kept: “High water”',
      'Block 2 (hero): ein Block vom Typ „hero“ ist nicht bekannt; was es sagt, bleibt: “High water”',
    ],
    ['Left out of “code”: filename “a.js”.', 'Es fehlt filename “a.js” (“code”).'],
    [
      '1 text has what looks like an entity of HTML, and readers see its signs: “&nbsp;”. If it is HTML, say so in delivery.text_format.',
      '1 Text enthält etwas wie ein Zeichenkürzel von HTML, und man sieht die Zeichen: “&nbsp;”. Ist es HTML, sagen Sie das in delivery.text_format.',
    ],
    [
      'Block 4 (table): a block of type "table" has no words where they are read; what it says is kept: “a,b”',
      'Block 4 (table): ein Block vom Typ „table“ hat keine Worte, wo sie gelesen werden; was es sagt, bleibt: “a,b”',
    ],
    [
      'Block 5 (image): the "credit" of this image stands below it: “Ann”',
      'Block 5 (image): „credit“ von diesem Bild steht darunter: “Ann”',
    ],
    [
      'Block 6 (list): "orderd" is not known here: did you mean "ordered"?',
      'Block 6 (list): "orderd" ist hier nicht bekannt: Meinten Sie "ordered"?',
    ],
    [
      '“poll” has no counterpart. Left out of it: two, three.',
      '„poll“ hat keine Entsprechung. Davon fehlt: two, three.',
    ],
    [
      'The secret site:1:application_password cannot be decrypted: it is not of the form v1.<key id>.<nonce>.<ciphertext>. Restore the right key, or enter the secret again.',
      'Das Geheimnis site:1:application_password lässt sich nicht entschlüsseln: es hat nicht die Form v1.<key id>.<nonce>.<ciphertext>. Setzen Sie den richtigen Schlüssel wieder ein, oder geben Sie das Geheimnis neu ein.',
    ],
    [
      'The file cannot be imported: it is not UTF-8; save it as "CSV UTF-8", or as CSV with the character set Unicode (UTF-8). Nothing was changed.',
      'Die Datei lässt sich nicht importieren: sie ist nicht in UTF-8; speichern Sie sie als „CSV UTF-8“ oder als CSV mit dem Zeichensatz Unicode (UTF-8). Nichts wurde geändert.',
    ],
  ])('%s', (english, translation) => {
    expect(german(english)).toBe(translation)
  })
})

it('every failure of a site is said in German, with and without what the site said', () => {
  const facts: FailureFacts = {
    site: 'blog.example',
    doing: 'reading the post',
    status: 403,
    setting: 'author',
  }
  const said = { ...facts, said: 'Lorem ipsum. Dolor', found: 'dolor', by: 'Lorem', reference: 'ray 8f2' }
  const left = Object.values(wordPressFailures)
    .flatMap(({ happened, todo }) => [facts, said].map((one) => german(`${happened(one)} ${todo}`)))
    .filter((text) => /\b(the|of|is|while|check|ask)\b/.test(text))
  expect(left).toEqual([])
})
