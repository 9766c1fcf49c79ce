import type { ImageBackground, ImageSize, ImageStyle } from '../../../contract/generation/choices.ts'

/** What a provider is told of each style. */
const styles = {
  photograph:
    'A professional photograph: natural light, real materials and textures, a considered depth of field, true colours.',
  illustration:
    'A clean vector-style illustration: flat shapes, crisp edges, a small and harmonious palette.',
  digital_art: 'Vibrant digital artwork: rich colours, dramatic light, fine detail.',
  '3d_render':
    'A 3D render: modelled objects, physically based materials, soft studio light, global illumination.',
  painting:
    'A painting in a traditional manner: visible brushwork, layered pigment, the grain of the canvas.',
  sketch: 'A hand-drawn sketch: pencil or ink lines of varying weight, light hatching, the texture of paper.',
  infographic:
    'The look of an infographic without its words: a clear layout of charts, icons, arrows and areas of colour that shows proportions and order by shape alone.',
  technical_diagram:
    'A technical diagram without labels: precise lines, consistent symbols, parts and their connections shown by arrows and shapes alone, on a plain ground.',
} satisfies Record<ImageStyle, string>

const shapes = {
  landscape: 'Composed for a wide frame of 3:2, the subject well inside its edges.',
  square: 'Composed for a square frame, the subject well inside its edges.',
  portrait: 'Composed for a tall frame of 2:3, the subject well inside its edges.',
  auto: 'Composed for a wide frame of 3:2, the subject well inside its edges.',
} satisfies Record<ImageSize, string>

const grounds = {
  auto: '',
  transparent: 'The subject alone, cut out cleanly, on a fully transparent background.',
  opaque: 'The background fills the whole frame.',
} satisfies Record<ImageBackground, string>

/** Models write badly inside pictures, and what they write cannot be translated or read aloud. */
const NO_TEXT =
  'No text anywhere in the picture: no words, letters, numbers, captions, labels, logos, signatures or watermarks.'

/** What is asked of a provider of pictures: the subject, and how it is to look. */
export const promptFor = (
  subject: string,
  { style, size, background }: { style: ImageStyle; size: ImageSize; background: ImageBackground },
): string =>
  [subject.trim(), styles[style], shapes[size], grounds[background], NO_TEXT]
    .filter((line) => line !== '')
    .join('\n\n')
