/** Steps in the colours people choose: what we draw is there and can be read in each of them. */

import assert from 'node:assert/strict';
import { LENS } from './editor.mjs';
import { annotationsOff, POOL } from './steps.mjs';

/** What the editor calls a theme, and the class its kind gives the workbench. The last is the one that all other steps are seen in. */
const THEMES = [['Dark Modern', 'vs-dark'], ['Dark High Contrast', 'hc-black'], ['Light High Contrast', 'hc-light'], ['Light Modern', 'vs']];
/** WCAG 2's least contrast of text. */
const LEAST = 4.5;

const looks = ([theme, kind]) => async ({ ui, page, editor, figures }) => {
  await ui.command('Preferences: Color Theme');
  await ui.choose(theme, new RegExp(`^${theme}`));
  await page.waitForSelector(`.monaco-workbench.${kind}`);
  const toggle = await annotationsOff(ui, editor);
  await ui.open(POOL, 1);
  await ui.until(LENS, /past exchange/);
  await toggle('line');
  await ui.open(POOL, 4);
  await ui.until(() => ui.afterText(), /claude-code/);
  const contrast = await page.evaluate(contrastOfNotes);
  await ui.shot(`looks-${kind}`, { x: 332, y: 0, width: 788, height: 400 });
  figures[`annotation_contrast_${kind}`] = contrast;
  assert.ok(contrast >= LEAST, `an annotation has a contrast of ${contrast.toFixed(2)}`);
  await toggle('all');
  await toggle('off');
};

export const LOOKS = Object.fromEntries(THEMES.map((theme) => [`lens and annotations in the theme ${theme[0]}`, looks(theme)]));

/** In the page: the least contrast of what decorations write behind lines with the editor's background (WCAG 2, relative luminance). */
function contrastOfNotes() {
  const numbers = (colour) => colour.match(/[\d.]+/g).map(Number);
  const over = ([r, g, b, alpha = 1], below) => [r, g, b].map((part, at) => alpha * part + (1 - alpha) * below[at]);
  const luminance = (colour) => {
    const [r, g, b] = colour.map((part) => part / 255).map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ground = numbers(getComputedStyle(document.querySelector('.editor-group-container.active .monaco-editor-background')).backgroundColor).slice(0, 3);
  const notes = [...document.querySelectorAll('.editor-group-container.active .view-line span')]
    .map((span) => getComputedStyle(span, '::after')).filter(({ content }) => content.startsWith('"'));
  return Math.min(...notes.map(({ color }) => {
    const [light, dark] = [luminance(over(numbers(color), ground)), luminance(ground)].sort((one, other) => other - one);
    return (light + 0.05) / (dark + 0.05);
  }));
}
