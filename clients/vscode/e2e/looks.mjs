/** Steps in dark, light and high-contrast themes: what pastwork shows can be read (WCAG 2.2: 4.5 for text, 3 for marks). */

import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { HOVER, LENS, LINES, NAME, PANES, PICK, ROW } from './editor.mjs';
import { ROOT } from './stage.mjs';

const THEMES = { 'Dark Modern': 'vs-dark', 'Light Modern': 'vs', 'Default High Contrast': 'hc-black', 'Default High Contrast Light': 'hc-light' };
const MARK = /fill="(#[0-9a-f]{6})"/.exec(fs.readFileSync(path.join(ROOT, 'clients/vscode/media/mark.svg'), 'utf8'))[1];

const legible = (theme, kind) => async ({ ui, page, editor }) => {
  const told = [];
  const check = async (what, css, least, colour) => {
    const contrast = await ui.holds(async () => {
      const found = await page.evaluate(contrastOf, [css, colour]);
      assert.ok(found >= least, `${theme}: ${what} has a contrast of ${found.toFixed(2)}, not ${least}`);
      return found;
    }, 5000);
    told.push(`${what} ${contrast.toFixed(1)}`);
  };
  try {
    editor.settings({ 'workbench.colorTheme': theme, 'pastwork.annotations': 'all' });
    await page.waitForSelector(`.monaco-workbench.${kind}`);
    await ui.open('ferryline/pool.py', 4);
    await ui.view('pastwork');
    await ui.until(PANES, /Bookings hang for ever/);
    await ui.until(() => ui.afterText(), /claude-code/);
    await page.waitForSelector('.editor-group-container.active .glyph-margin-widgets [class*="ced-"]');
    await check('annotation', `${LINES} .view-line span`, 4.5, '::after');
    await check('gutter mark', '.editor-group-container.active .margin', 3, MARK);
    await check('overview mark', '.editor-group-container.active .monaco-editor', 3, '--vscode-charts-purple');
    await check('lens', `${LENS} a`, 3);
    await check('room', `${PANES} .monaco-list-row .label-name`, 4.5);
    await check('its count', `${PANES} .monaco-list-row .label-description`, 3);
    await ui.hover('raise PoolTimeout', /verbatim/);
    await check('hover', `${HOVER} p`, 4.5);
    await ui.shot(`look-${kind}`);
    await ui.search('bookings hang');
    await ui.until(ROW, /Bookings hang for ever/);
    await check('found', `${ROW}:not(.focused) ${NAME}`, 4.5);
    await check('what it says of it', `${ROW}:not(.focused) .quick-input-list-label-meta`, 3);
    await check('title', `${PICK} .quick-input-title`, 3);
    await ui.shot(`look-${kind}-search`);
    console.log(`      ${told.join(', ')}`);
  } finally {
    editor.settings({ 'workbench.colorTheme': undefined, 'pastwork.annotations': undefined });
    await ui.dismiss();
    await ui.view('Explorer');
  }
};

export const LOOKS = Object.fromEntries(Object.entries(THEMES).map(([theme, kind]) => [`legible in ${theme}`, legible(theme, kind)]));

/** In the page: the contrast, 1 to 21, of what a selector's first visible node writes to what is behind it; or of another colour, of a variable's, of what stands `::after`. */
function contrastOf([css, other]) {
  const parse = (colour) => {
    const canvas = new OffscreenCanvas(1, 1).getContext('2d');
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    const [red, green, blue, alpha] = canvas.getImageData(0, 0, 1, 1).data;
    return [red, green, blue, alpha / 255];
  };
  const over = ([red, green, blue, alpha], behind) => [red, green, blue].map((part, at) => part * alpha + behind[at] * (1 - alpha));
  const written = (node) => (other === '::after' ? /^"./.test(getComputedStyle(node, other).content) : node.checkVisibility());
  const node = [...document.querySelectorAll(css)].find(written);
  if (!node) throw new Error(`nothing is shown at ${css}`);
  const above = [];
  for (let each = node; each; each = each.parentElement) above.push(each);
  const behind = above.map((each) => parse(getComputedStyle(each).backgroundColor)).reverse().reduce((below, layer) => over(layer, below), [255, 255, 255]);
  const style = getComputedStyle(node, other === '::after' ? other : undefined);
  const named = other?.startsWith('--') ? getComputedStyle(node).getPropertyValue(other) : other;
  const [red, green, blue, alpha] = parse(named && other !== '::after' ? named : style.color);
  const opacity = above.reduce((product, each) => product * Number(getComputedStyle(each).opacity), 1);
  const luminance = (colour) => {
    const [r, g, b] = colour.map((part) => part / 255).map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const [light, dark] = [luminance(over([red, green, blue, alpha * opacity], behind)), luminance(behind)].sort((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
}
