#!/usr/bin/env node
/* TODO: at the top
 * FIXME(ann) in a block */
const text = "TODO: not a comment"; // HACK to go

/** Doc. */

function apart() {}
/** One. */ function sameLine() {}
/**
 * Two.
 */
// A plain comment between.
function between() {}
/** A. */
/** B. */
async function twice() {
  try { switch (1) { case 1: do { } while (0); } } catch { }
  return [1].map((x) => { if (x) return () => { if (x) { } }; });
}
