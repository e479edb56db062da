//<![CDATA[
// Sorting and filtering of guides, and links to their locations. The page is complete without them.
"use strict";
(function () {
	const table = document.getElementById("guide-table");
	const body = table.tBodies[0];
	const heads = Array.from(table.tHead.rows[0].cells);
	const sections = Array.from(document.querySelectorAll("details.guide"));
	const guides = Array.from(body.rows, function (row, i) {
		return { row: row, section: sections[i], cells: Array.from(row.cells, function (c) { return c.textContent; }), number: i };
	});
	function numeric(column) { return heads[column].classList.contains("number"); }
	for (const g of guides) { g.text = g.cells.filter(function (text, i) { return !numeric(i); }).join("\n").toLowerCase(); }
	const words = new Intl.Collator("en", { numeric: true });
	const plain = new Intl.NumberFormat("en");

	// What a cell of numbers is sorted by, null for what is no number.
	function value(guide, column) {
		const x = Number(guide.cells[column].replace(/,/g, ""));
		return Number.isFinite(x) ? x : null;
	}

	// Numbers from the greatest down at first, and words upwards. What is no number comes last.
	function sort(column) {
		const head = heads[column];
		const numbers = numeric(column);
		const first = numbers ? "descending" : "ascending";
		const second = numbers ? "ascending" : "descending";
		const way = head.getAttribute("aria-sort") === first ? second : first;
		for (const h of heads) { h.removeAttribute("aria-sort"); }
		head.setAttribute("aria-sort", way);
		const sign = way === "ascending" ? 1 : -1;
		guides.sort(function (a, b) {
			if (!numbers) { return sign * words.compare(a.cells[column], b.cells[column]) || a.number - b.number; }
			const x = value(a, column);
			const y = value(b, column);
			if (x === null || y === null) { return (x === null) - (y === null) || a.number - b.number; }
			return sign * (x - y) || a.number - b.number;
		});
		body.append(...guides.map(function (g) { return g.row; }));
	}

	heads.forEach(function (head, column) {
		const button = document.createElement("button");
		button.type = "button";
		button.append(...head.childNodes);
		button.addEventListener("click", function () { sort(column); });
		head.append(button);
	});

	const filter = document.getElementById("filter");
	const label = document.createElement("label");
	label.htmlFor = "filter-text";
	label.textContent = "Name, letters or location has";
	const input = document.createElement("input");
	input.type = "search";
	input.id = "filter-text";
	const count = document.createElement("output");
	count.htmlFor = "filter-text";
	filter.append(label, input, count);

	function show() {
		const wanted = input.value.trim().toLowerCase();
		let shown = 0;
		for (const g of guides) {
			const fits = g.text.includes(wanted);
			g.row.hidden = !fits;
			g.section.hidden = !fits;
			shown += fits ? 1 : 0;
		}
		count.textContent = plain.format(shown) + " of " + plain.format(guides.length);
	}
	input.addEventListener("input", show);
	show();

	// A link to locations opens them.
	function open() {
		const target = /^#guide-[0-9]+$/.test(location.hash) && document.getElementById(location.hash.slice(1));
		if (target) {
			target.parentElement.open = true;
			target.parentElement.scrollIntoView();
		}
	}
	window.addEventListener("hashchange", open);
	body.addEventListener("click", function (event) {
		// The hash may be the same as before.
		if (event.target.closest("a")) { setTimeout(open); }
	});
	open();
})();
//]]>
