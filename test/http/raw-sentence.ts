/** How zod's own sentences begin or sound, in its English (zod/v4/locales/en): nobody is answered one. */
export const rawSentence =
  /Invalid |Too (big|small)|Unrecognized|expected .*received|>=|<=|more than one option|\bundefined\b/
