/** The codes that `languageCode` takes. Of any other language the model finds out by the text. */
export const languages: ReadonlySet<string> = new Set(
  [
    'ar-XA bn-IN cmn-CN de-DE en-AU en-GB en-IN en-US es-ES es-US fr-CA fr-FR gu-IN hi-IN id-ID it-IT ja-JP',
    'kn-IN ko-KR ml-IN mr-IN nl-NL pl-PL pt-BR ru-RU ta-IN te-IN th-TH tr-TR vi-VN',
  ].flatMap((line) => line.split(' ')),
)
