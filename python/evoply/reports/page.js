// Draws the charts in the page's own colours, again when the colours change or the page is printed.
"use strict";
(() => {
  const colours = () => {
    const style = getComputedStyle(document.documentElement);
    const value = (name) => style.getPropertyValue(name).trim();
    return { ink: value("--ink"), faint: value("--faint"), grid: value("--grid"), paper: value("--paper") };
  };
  const layoutFor = (layout, { ink, faint, grid, paper }) => {
    const axis = (given) => ({
      gridcolor: grid, zerolinecolor: grid, linecolor: grid, tickfont: { color: faint },
      automargin: true, fixedrange: true, ...given,
      title: { font: { color: faint, size: 12 }, standoff: 8, ...(given || {}).title },
    });
    return {
      hovermode: "x unified",
      legend: { orientation: "h", y: -0.24, yanchor: "top", x: 0 },
      ...layout,
      paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)",
      font: { color: ink, size: 12, family: "system-ui, sans-serif" },
      margin: { l: 44, r: 10, t: 8, b: 36 },
      hoverlabel: { bgcolor: paper, font: { color: ink } },
      xaxis: axis(layout.xaxis), yaxis: axis(layout.yaxis),
    };
  };
  const settings = { responsive: true, displayModeBar: false };
  const draw = (place) => {
    const { data, layout } = JSON.parse(place.nextElementSibling.textContent);
    return Plotly.react(place, data, layoutFor(layout, colours()), settings);
  };
  const drawAll = () => document.querySelectorAll(".chart").forEach(draw);
  drawAll();
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawAll);
  matchMedia("print").addEventListener("change", drawAll);
})();
